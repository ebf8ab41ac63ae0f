// Package docs_test holds the documents to the tree: what they list is there,
// and what is there they list.
package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/test/controlplane"
)

const module = "github.com/cozystack/affinityclass/"

func root(t *testing.T) string {
	t.Helper()
	dir, err := controlplane.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// rows are the first cells of the document's tables.
func rows(text string) []string {
	var found []string
	for _, match := range row.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	return found
}

// packages are those of the main module, by their folders.
func packages(t *testing.T) []string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-e", "./...")
	list.Dir = root(t)
	out, err := list.Output()
	if err != nil {
		t.Fatalf("list the packages: %v", err)
	}
	var folders []string
	for path := range strings.FieldsSeq(string(out)) {
		folders = append(folders, strings.TrimPrefix(path, module))
	}
	return folders
}

func TestTheMapShowsEveryRoom(t *testing.T) {
	shown := rows(read(t, "docs/map.md"))
	for _, folder := range packages(t) {
		if !slices.Contains(shown, folder) {
			t.Errorf("docs/map.md has no row for %s", folder)
		}
	}
}

func TestTheMapShowsNoRoomThatIsNotThere(t *testing.T) {
	shown := rows(read(t, "docs/map.md"))
	for i, folder := range shown {
		if info, err := os.Stat(filepath.Join(root(t), folder)); err != nil || !info.IsDir() {
			t.Errorf("docs/map.md has a row for %s: %v", folder, err)
		}
		if slices.Contains(shown[:i], folder) {
			t.Errorf("docs/map.md has two rows for %s", folder)
		}
	}
}

var (
	link  = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	block = regexp.MustCompile("(?s)```.*?```")
)

func TestLinksLeadSomewhere(t *testing.T) {
	documents, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, filepath.Join(root(t), "README.md"))
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(block.ReplaceAllString(string(text), ""), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), match[1])); err != nil {
				t.Errorf("%s links to %s: %v", filepath.Base(document), match[1], err)
			}
		}
	}
}
