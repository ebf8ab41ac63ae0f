package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	dump    = "testdata/preview/dump.yaml"
	web     = "testdata/preview/web.yaml"
	nowhere = "testdata/preview/nowhere.yaml"

	tags       = "testdata/preview/tags.yaml" // more for the dump
	binaryPods = "testdata/preview/binary.yaml"
	required   = "testdata/preview/required.yaml"
)

func TestPreviewAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		code int
		file string
	}{
		{"people get a headline, reasons and scores", []string{"-f", web}, 0, "preview.txt"},
		{"programs get JSON", []string{"-f", web, "--replicas", "1", "-o", "json"}, 0, "preview.json"},
		{"a third replica finds no room", []string{"-f", web, "--replicas", "3"}, 3, "preview-full.txt"},
		{"explain shows every stage and the one step", []string{"-f", nowhere, "--explain"}, 1, "preview-explain.txt"},
		{"what can never be outweighs what has no room", []string{"-f", web, "-f", nowhere, "--replicas", "3"}, 1, "preview-worst.txt"},
		{"a node that is named is the only candidate", []string{"-f", web, "--node", "node-a"}, 3, "preview-node.txt"},
		{"tiers where a binary value prefers", []string{"-f", binaryPods, "--snapshot", tags}, 0, "preview-tiers.txt"},
		{"tiers for programs", []string{"-f", binaryPods, "--snapshot", tags, "-o", "json"}, 0, "preview-tiers.json"},
		{"a preference without a choice says so", []string{"-f", binaryPods, "--snapshot", tags, "--node", "node-a", "--node", "node-e"}, 0, "preview-no-choice.txt"},
		{"the first of a group is told the two ways out", []string{"-f", "testdata/preview/first.yaml"}, 1, "preview-first.txt"},
		{"a shortage where a binary value leaves some nodes only", []string{"-f", required, "--snapshot", tags}, 3, "preview-required.txt"},
		{"a priority asked for goes first", []string{"-f", web, "-f", nowhere, "--priority", "Pod/nowhere=5"}, 1, "preview-priority.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"preview", "--snapshot", dump}, tt.args...)...)
			if code != tt.code || errs != "" {
				t.Errorf("exit code %d, want %d; stderr %q", code, tt.code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

func TestPreviewRefusesBadQuestions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"nothing to place", nil, 2, "nothing to place"},
		{"files without a Pod", []string{"-f", dump + ".none"}, 2, "dump.yaml.none"},
		{"a profile that is not known", []string{"-f", web, "--profile", "Fast"}, 2, `profile "Fast"`},
		{"a priority without a number", []string{"-f", web, "--priority", "web=high"}, 2, "OBJECT=NUMBER"},
		{"a priority of what is not there", []string{"-f", web, "--priority", "api=1"}, 2, "api: no such object"},
		{"fewer than no replicas", []string{"-f", web, "--replicas", "-1"}, 2, "less than 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := invoke(t, "", append([]string{"preview", "--snapshot", dump}, tt.args...)...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, errs, tt.code, tt.stderr)
			}
		})
	}
}

func TestPreviewSaysWhereASnapshotIsBroken(t *testing.T) {
	broken := "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: Node\nspec: {taints: 7}\n"
	code, _, errs := invoke(t, broken, "preview", "-f", web, "--snapshot", "-")
	if code != 2 || !strings.Contains(errs, "standard input: document 2, line 5") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

func TestPreviewReadsACompressedDumpAsThePlainOne(t *testing.T) {
	text, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "dump.yaml.gz"), packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	_, want, _ := invoke(t, "", "preview", "-f", web, "--snapshot", dump)
	code, got, errs := invoke(t, "", "preview", "-f", web, "--snapshot", dir)
	if code != 0 || got != want {
		t.Errorf("exit code %d, stderr %q, got\n%s\nwant\n%s", code, errs, got, want)
	}
}

func TestPreviewOfAClusterThatDoesNotAnswerEndsWithFour(t *testing.T) {
	if code, _, errs := invoke(t, "", "preview", "-f", web, "--kubeconfig", "testdata/none"); code != 4 || errs == "" {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

func TestNodesAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		file string
	}{
		{"all of them", nil, "nodes.txt"},
		{"all of them for programs", []string{"-o", "json"}, "nodes.json"},
		{"everything about one", []string{"node-a"}, "node.txt"},
		{"the whole object of one", []string{"node-a", "-o", "json"}, "node.json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"nodes", "--snapshot", dump}, tt.args...)...)
			if code != 0 || errs != "" {
				t.Errorf("exit code %d, stderr %q", code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

func TestNodesDoesNotKnowEveryName(t *testing.T) {
	if code, _, errs := invoke(t, "", "nodes", "node-z", "--snapshot", dump); code != 2 || !strings.Contains(errs, `"node-z" not found`) {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}
