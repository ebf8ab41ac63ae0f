package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onlyThese tells a shell to offer no files beside the words.
const onlyThese = ":4"

func TestAShellIsOfferedWhatAFlagTakes(t *testing.T) {
	kubeconfig := served(t, dump).Kubeconfig(t, "")
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"check -o *", []string{"text", "json", "yaml", "junit", "sarif"}},
		{"why --output *", []string{"text", "json", "yaml"}},
		{"drain -o *", []string{"text", "json", "yaml", "manifest"}},
		{"audit --fail-on *", []string{"denied", "warned", "outside", "unknown", "none"}},
		{"audit --mode *", []string{"deny", "warn", "audit"}},
		{"preview --profile *", []string{"LeastLoaded"}},
		{"check *", nil},
		{"preview *", nil},
		{"binary find *", nil},
		{"nodes --snapshot " + dump + " *", []string{"node-a", "node-b", "node-c", "node-d"}},
		{"nodes --kubeconfig " + kubeconfig + " *", []string{"node-a", "node-b", "node-c", "node-d"}},
		{"nodes --kubeconfig testdata/none *", nil},
		{"nodes node-a *", nil},
	} {
		t.Run(tt.line, func(t *testing.T) {
			words := strings.Fields(strings.TrimSuffix(tt.line, "*"))
			code, out, _ := invoke(t, "", append(append([]string{"__complete"}, words...), "")...)
			want := strings.Join(append(tt.want, onlyThese, ""), "\n")
			if diff := cmp.Diff(want, out); diff != "" || code != 0 {
				t.Errorf("exit code %d: %s", code, diff)
			}
		})
	}
}

func TestAShellIsOfferedTheVerbsAlone(t *testing.T) {
	for line, verb := range map[string]string{"": "check", "binary": "convert", "completion": "zsh"} {
		_, out, _ := invoke(t, "", append(append([]string{"__complete"}, strings.Fields(line)...), "")...)
		if !strings.Contains(out, verb+"\t") || !strings.HasSuffix(out, onlyThese+"\n") {
			t.Errorf("%q is offered %q", line, out)
		}
	}
}
