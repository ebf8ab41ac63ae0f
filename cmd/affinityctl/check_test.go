package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
)

var update = flag.Bool("update", false, "write the golden files anew")

// invoke runs the program in process.
func invoke(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(strings.NewReader(stdin))
	root.SetOut(&out)
	root.SetErr(&errs)
	code = run(context.Background(), root, &errs)
	return code, out.String(), errs.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s\n%s", file, diff)
	}
}

func TestCheckAnswers(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		file string
	}{
		{"people get a table with what to do", []string{"-f", "testdata/input"}, 1, "shop.txt"},
		{"programs get JSON", []string{"-f", "testdata/input", "-o", "json"}, 1, "shop.json"},
		{"or YAML", []string{"-f", "testdata/input", "-o", "yaml"}, 1, "shop.yaml"},
		{"one class can be held against everything, ownerless Pods too", []string{"-f", "testdata/input", "--class", "fast"}, 1, "fast.txt"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"check", "--classes", "testdata/classes.yaml"}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, stderr %q", code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

const goodPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"dc1"}}}`

func TestCheckExitCodes(t *testing.T) {
	tests := []struct {
		name, stdin string
		args        []string
		code        int
		stderr      string // a part of it
	}{
		{"all may pass", goodPod, []string{"--class", "dc1", "--classes", "testdata/classes.yaml", "-f", "-"}, 0, ""},
		{"nothing to judge is no failure", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}`, []string{"-f", "-"}, 0, ""},
		{"a class that is in no file", goodPod, []string{"--class", "dc9", "-f", "-"}, 2, "give its file with --classes"},
		{"nothing at all, as of a render that failed", "", []string{"-f", "-"}, 2, "nothing to check: no object in the files"},
		{"nothing beside a class", "# none\n", []string{"-f", "-", "--classes", "testdata/classes.yaml", "--class", "dc1"}, 2, "nothing to check"},
		{"nothing named", "", nil, 2, "name what to judge"},
		{"a file that is not there", "", []string{"-f", "testdata/none.yaml"}, 2, "testdata/none.yaml"},
		{"a directory without manifests", "", []string{"-f", "testdata"}, 0, ""},
		{"no YAML: file, document and line", "a: b\n---\n{\n", []string{"-f", "-"}, 2, "standard input: document 1, line 1: the object has no apiVersion"},
		{"a template that is missing", `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{}}`, []string{"-f", "-"}, 2, "standard input: document 1, line 1: Deployment: spec.template is missing"},
		{"a selector of another type", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"nodeSelector":["a"]}}`, []string{"-f", "-"}, 2, "/spec/nodeSelector"},
		{"a class with a field that means nothing here", `{"apiVersion":"cozystack.io/v1alpha1","kind":"AffinityClass","metadata":{"name":"a"},"spec":{"nodeSelectorTerm":[]}}`, []string{"-f", "-"}, 2, `unknown field "spec.nodeSelectorTerm"`},
		{"a class of another version", `{"apiVersion":"cozystack.io/v9","kind":"AffinityClass","metadata":{"name":"a"}}`, []string{"-f", "-"}, 2, "cozystack.io/v9"},
		{"a flag that is not there", "", []string{"--nope"}, 2, "--nope"},
		{"a format that is not there", "", []string{"-f", "-", "-o", "xml"}, 2, "must be one of text, json, yaml, junit, sarif"},
		{"an argument that is no flag", "", []string{"pod.yaml"}, 2, "pod.yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := invoke(t, tt.stdin, append([]string{"check"}, tt.args...)...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) || (code == 2) != strings.HasPrefix(errs, "error: ") {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, errs, tt.code, tt.stderr)
			}
		})
	}
}

func TestAPartIsNeverTakenForTheWhole(t *testing.T) {
	code, out, _ := invoke(t, goodPod+"\n---\n{", "check", "--class", "dc9", "-f", "-", "-o", "json")
	if code != 2 || out != "" {
		t.Errorf("exit code %d with results %q, though a document could not be read", code, out)
	}
}

func TestResultsKeepTheOrderOfTheInput(t *testing.T) {
	_, out, _ := invoke(t, `{"apiVersion":"v1","kind":"List","items":[`+strings.ReplaceAll(goodPod, `"a"`, `"z"`)+","+goodPod+`]}`, "check", "-f", "-", "-o", "json")
	var report struct {
		Results []struct{ Object struct{ Name string } }
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if report.Results[0].Object.Name != "z" || report.Results[1].Object.Name != "a" {
		t.Errorf("got %v", report.Results)
	}
}

func TestWhatCheckSaysFitsTheTerminal(t *testing.T) {
	report := &check.Report{Notes: []string{"a note of more words than there is room for on a line of so few columns"},
		Results: []check.Result{{Verdict: "Denied", Code: 403, Message: "a message of more words than there is room for on a line of so few columns"}}}
	const width = 50
	var b bytes.Buffer
	if err := writeText(&b, width, report); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > width+1 {
			t.Errorf("%q is longer than %d columns", line, width)
		}
	}
	if said := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(said, "note: "+report.Notes[0]) || !strings.Contains(said, report.Results[0].Message) {
		t.Errorf("something is lost:\n%s", b.String())
	}
}
