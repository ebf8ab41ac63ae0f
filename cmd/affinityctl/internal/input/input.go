// Package input reads what a user names on the command line: files, directories
// and standard input, as kubectl reads them.
//
// It opens files and hands their text to lineage/manifest; it judges nothing.
package input

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cozystack/affinityclass/lineage/manifest"
)

// Source reads manifests.
type Source struct {
	Stdin     io.Reader
	Namespace string // of objects that name none
	Recursive bool   // look into the directories of a directory
}

// Read gives the objects of every path, in order. "-" is standard input; of a
// directory the files ending in .json, .yaml or .yml count, by name. What cannot
// be read is an error that names the file, and nothing read is given with it: a
// part must not be taken for the whole.
func (s Source) Read(paths []string) ([]manifest.Document, error) {
	var documents []manifest.Document
	for _, path := range paths {
		files, err := s.expand(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			found, err := s.readFile(file)
			if err != nil {
				return nil, err
			}
			documents = append(documents, found...)
		}
	}
	return documents, nil
}

const stdin = "-"

// Once refuses paths that name standard input twice: the second time it is empty,
// which must not look like a file with nothing in it.
func Once(paths ...string) error {
	if at := slices.Index(paths, stdin); at >= 0 && slices.Contains(paths[at+1:], stdin) {
		return errors.New("standard input (-) can be read only once")
	}
	return nil
}

func (s Source) readFile(file string) ([]manifest.Document, error) {
	var documents []manifest.Document
	err := s.eachOf(file, func(d *manifest.Document) error {
		documents = append(documents, *d)
		return nil
	})
	return documents, err
}

// expand lists the files that a path stands for.
func (s Source) expand(path string) ([]string, error) {
	if path == stdin {
		return []string{path}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	files, err := s.list(path)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no file ends in .json, .yaml or .yml", path)
	}
	return files, err
}

func (s Source) list(dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && !s.Recursive:
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(strings.TrimSuffix(path, ".gz"))):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
