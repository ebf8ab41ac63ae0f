package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promises are words that a whole node's worth must not be described by; the one
// sentence that says so may use one.
var promises = regexp.MustCompile(`(?i)\b(?:guarantee|ensur|prov(?:e|es|en|ing)\b|assur|make sure|makes sure)\w*`)

const denied = "does not guarantee"

// spoken are all texts about the reservation: field descriptions as they are in
// the types, the CRD and the chart, help, messages and documents.
func spoken(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{
		"docs/surge.md", "affinityclass/v1alpha1/surge.go", "affinityclass/placement/surge/*.go", "affinityclass/placement/drain.go",
		"cmd/affinityctl/drain*.go", "cmd/affinityctl/internal/drain/*.go", "cmd/affinityctl/testdata/golden/drain*",
	} {
		files, err := filepath.Glob(filepath.Join(root(t), pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(text)
		}
	}
	for _, name := range []string{"config/crd/cozystack.io_affinityclasses.yaml", "charts/affinity-webhook/files/crds/cozystack.io_affinityclasses.yaml"} {
		_, field, found := strings.Cut(read(t, name), "\n              surge:\n")
		field, _, ended := strings.Cut(field, "\n              tolerations:\n")
		if !found || !ended || !strings.Contains(field, "wholeNodeReservation") {
			t.Fatalf("%s does not describe spec.surge", name)
		}
		texts[name] = field
	}
	_, help, found := strings.Cut(read(t, "docs/affinityctl.md"), "\n## affinityctl drain\n")
	help, _, ended := strings.Cut(help, "\n## ")
	if !found || !ended || !strings.Contains(help, "--whole-node") {
		t.Fatal("docs/affinityctl.md does not describe drain")
	}
	texts["docs/affinityctl.md"] = help
	for _, name := range []string{"README.md", "charts/affinity-webhook/values.yaml", "docs/classes.md", "docs/messages.md", "docs/map.md", "docs/measurements.md", "docs/placement.md"} {
		for line := range strings.Lines(read(t, name)) {
			if strings.Contains(line, "urge") || strings.Contains(line, "hole-node") || strings.Contains(line, "whole node") {
				texts[name] += line
			}
		}
	}
	return texts
}

func TestTheReservationIsNotPromisedMoreThanItIs(t *testing.T) {
	for name, text := range spoken(t) {
		if word := promises.FindString(strings.ReplaceAll(text, denied, "")); word != "" {
			t.Errorf("%s says %q of the reservation, which narrows and no more", name, word)
		}
	}
	guide := read(t, "docs/surge.md")
	if !strings.Contains(guide, "narrows, "+denied) {
		t.Error("docs/surge.md does not say that whole-node narrows, " + denied)
	}
	for _, words := range []string{"on resource fit alone", "not exhaustive"} {
		if !strings.Contains(guide, words) {
			t.Errorf("docs/surge.md does not say %q of what a size and a refusal are", words)
		}
	}
	for _, name := range []string{"affinityclass/v1alpha1/surge.go", "cmd/affinityctl/drain.go", "affinityclass/placement/surge/reserve.go"} {
		if !strings.Contains(read(t, name), "narrows") {
			t.Errorf("%s does not say that it narrows", name)
		}
	}
}
