package controlplane

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotBuilt means that a program of the control plane is missing.
var ErrNotBuilt = errors.New("not built: run `make control-plane`")

const mainModule = "module github.com/cozystack/affinityclass\n"

// Root is the repository's root: the nearest directory upwards that holds the
// main module. The modules below test/ have go.mod files of their own, so the
// first go.mod is not always the right one.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository's root: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(content), mainModule) {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the repository's root: no go.mod of the main module above %s", start)
		}
	}
}

// Binary is the path of a program of the control plane (kubectl is one):
// $KUBEBUILDER_ASSETS first, for those who have these binaries already, then
// the repository's bin/.
func Binary(name string) (string, error) {
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" {
		if path := filepath.Join(assets, name); exists(path) {
			return filepath.Abs(path)
		}
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(root, "bin", name)
	if !exists(path) {
		return "", fmt.Errorf("find %s at %s: %w", name, path, ErrNotBuilt)
	}
	return path, nil
}

// kwokStages are the files that tell KWOK how nodes, Pods and volumes move on.
// It has none built in.
func kwokStages() ([]string, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, "bin", "kwok-stages")
	stages, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(stages) == 0 {
		return nil, fmt.Errorf("find the stages of KWOK in %s: %w", dir, ErrNotBuilt)
	}
	return stages, nil
}

// exists follows symlinks, so that one left behind by a removed devkube counts
// as missing.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
