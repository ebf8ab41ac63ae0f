package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestClassesAnswers(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		file string
	}{
		{"all of them", nil, "classes.txt"},
		{"all of them for programs", []string{"-o", "json"}, "classes.json"},
		{"everything about one", []string{"dc12"}, "class.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"classes", "-f", "testdata/cluster.yaml"}, tt.args...)...)
			if code != 0 || errs != "" {
				t.Errorf("exit code %d, stderr %q", code, errs)
			}
			golden(t, tt.file, out)
		})
	}
}

func TestClassesExitCodes(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "kubeconfig")
	const cluster = `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"a","cluster":{"server":"https://127.0.0.1:1"}}],` +
		`"contexts":[{"name":"a","context":{"cluster":"a"}}],"current-context":"a"}`
	if err := os.WriteFile(nowhere, []byte(cluster), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stderr string
	}{
		{"a class that is not there", []string{"dc9", "-f", "testdata/cluster.yaml"}, 2, `AffinityClass "dc9" not found`},
		{"a file that is not there", []string{"-f", "testdata/none.yaml"}, 2, "none.yaml"},
		{"two names", []string{"a", "b"}, 2, "accepts at most 1 arg"},
		{"a kubeconfig that is not there", []string{"--kubeconfig", "testdata/none"}, 4, "testdata/none"},
		{"a cluster that does not answer", []string{"--kubeconfig", nowhere}, 4, "127.0.0.1:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, _, errs := invoke(t, "", append([]string{"classes"}, tt.args...)...)
			if code != tt.code || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, errs, tt.code, tt.stderr)
			}
		})
	}
}

func TestClassesOfFilesSayWhatTheFilesLack(t *testing.T) {
	code, out, errs := invoke(t, "", "classes", "-f", "testdata/classes.yaml")
	for _, note := range []string{"note: the files have no Nodes: ", "note: the files have no HelmReleases: ", "note: the files have no Tenants: "} {
		if code != 0 || errs != "" || !strings.Contains(out, note) {
			t.Errorf("exit code %d, stderr %q, no %q in\n%s", code, errs, note, out)
		}
	}
	all := "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n" +
		"{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: a}}\n---\n" +
		"{apiVersion: apps.cozystack.io/v1alpha1, kind: Tenant, metadata: {name: a}}\n"
	if _, out, errs := invoke(t, all, "classes", "-f", "-", "-f", "testdata/classes.yaml"); strings.Contains(out, "note: ") || errs != "" {
		t.Errorf("nothing lacks, and yet: %s%s", out, errs)
	}
}
