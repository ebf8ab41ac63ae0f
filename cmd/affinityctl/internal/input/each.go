package input

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/cozystack/affinityclass/lineage/manifest"
)

// Each visits the objects of every path in order, and keeps none of them. A
// file may be compressed by gzip. An error of visit is given the object's place.
func (s Source) Each(paths []string, visit func(*manifest.Document) error) error {
	for _, path := range paths {
		files, err := s.expand(path)
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := s.eachOf(file, visit); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s Source) eachOf(file string, visit func(*manifest.Document) error) error {
	reader, end, err := s.open(file)
	if err != nil {
		return err
	}
	defer end()
	for {
		document, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(&document); err != nil {
			return &manifest.Error{File: document.File, Index: document.Index, Line: document.Line, Err: err}
		}
	}
}

// open begins to read a file, or standard input; end lets go of it.
func (s Source) open(file string) (reader *manifest.Reader, end func(), err error) {
	name, in, end := "standard input", s.Stdin, func() {}
	if file != stdin {
		opened, err := os.Open(file)
		if err != nil {
			return nil, nil, err
		}
		name, in, end = file, opened, func() { _ = opened.Close() }
	}
	text, err := plain(in)
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return manifest.NewReader(name, text, manifest.DefaultNamespace(s.Namespace)), end, nil
}

// plain undoes gzip, which is known by its first two bytes.
func plain(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReader(in)
	if start, err := buffered.Peek(2); err != nil || start[0] != 0x1f || start[1] != 0x8b {
		return buffered, nil // too short to be gzip, or unreadable: the reader will say
	}
	return gzip.NewReader(buffered)
}
