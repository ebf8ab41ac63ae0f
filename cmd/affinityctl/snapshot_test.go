package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be read is told with its place, and nothing is answered from the rest.
func TestASnapshotInPartIsNoSnapshot(t *testing.T) {
	text, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	const node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
	for _, tt := range []struct {
		name, file string
		text       []byte
		said       string
	}{
		{"a document that is broken", "dump.yaml", []byte(node + "---\n{\n"), "dump.yaml: document 2, line 5: "},
		{"an item that is broken", "dump.yaml", []byte("apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a}}\n- apiVersion: v1\n  kind: Pod\n  spec: {nodeName: [a]}\n"), "dump.yaml: document 2, line 5: "},
		{"the same in JSON", "dump.json", []byte("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"spec\":7}]}"), "dump.json: document 1, line 2: "},
		{"a page of a list", "dump.json", []byte(`{"apiVersion":"v1","kind":"PodList","metadata":{"continue":"x"},"items":[]}`), "document 1, line 1: the list is one page of several"},
		{"a refusal of the API server", "dump.json", []byte(`{"apiVersion":"v1","kind":"Status","message":"pods is forbidden"}`), "document 1, line 1: instead of objects the API server answered: pods is forbidden"},
		{"a compressed file that was cut", "dump.yaml.gz", packed(t, text)[:400], "dump.yaml.gz: document "},
		{"a file that only begins like one", "dump.yaml.gz", []byte("\x1f\x8bno"), "dump.yaml.gz: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.file)
			if err := os.WriteFile(file, tt.text, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, verb := range [][]string{{"preview", "-f", nowhere, "--snapshot", file}, {"preview", "-f", nowhere, "--snapshot", filepath.Dir(file)}} {
				code, out, errs := invoke(t, "", verb...)
				if code != 2 || out != "" || !strings.Contains(errs, tt.said) {
					t.Errorf("%v: exit code %d, want 2 and %q: %s%s", verb[:1], code, tt.said, out, errs)
				}
			}
		})
	}
}

func TestEveryVerbReadsCompressedFiles(t *testing.T) {
	for _, tt := range []struct {
		file string
		args []string
	}{
		{"testdata/cluster.yaml", []string{"classes", "-f"}},
		{dump, []string{"nodes", "--snapshot"}},
		{shop, []string{"lineage", "pod/web-7c-1", "-n", "shop", "-f"}},
	} {
		text, err := os.ReadFile(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "dump.yaml.gz")
		if err := os.WriteFile(file, packed(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, want, _ := invoke(t, "", append(tt.args, tt.file)...)
		code, got, errs := invoke(t, "", append(tt.args, file)...)
		if code != 0 || got != want {
			t.Errorf("%v: exit code %d: %s%s", tt.args, code, got, errs)
		}
	}
}

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
