package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var copied = regexp.MustCompile(`(?m)^COPY (\w+) (\w+)$`)

// A folder that the Dockerfile forgets would be missed only where images are built.
func TestTheImageIsBuiltFromEachFolderThatTheServerNeeds(t *testing.T) {
	var folders []string
	for _, line := range copied.FindAllStringSubmatch(string(read(t, "cmd/affinity-webhook/Dockerfile")), -1) {
		if line[1] != line[2] {
			t.Errorf("%s: the folder changes its name", line[0])
		}
		folders = append(folders, line[1])
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}", ".")
	output, err := list.Output()
	if err != nil {
		t.Fatalf("list what the server is made of: %v", err)
	}
	needed := strings.Fields(string(output))
	if len(needed) < 5 {
		t.Fatalf("the server is made of only %v", needed)
	}
	for _, path := range needed {
		inside := strings.TrimPrefix(path, "github.com/cozystack/affinityclass/")
		folder, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
		if !slices.Contains(folders, folder) {
			t.Errorf("the Dockerfile does not copy %s, which holds %s", folder, path)
		}
	}
}
