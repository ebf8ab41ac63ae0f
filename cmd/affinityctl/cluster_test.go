package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/clustertest"
)

// write puts a text into a file.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "input.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// served is a cluster of the objects in a file.
func served(t *testing.T, file string) *clustertest.Server {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return clustertest.New(t, string(text))
}

func TestAClusterIsPreviewedAsItsDump(t *testing.T) {
	cluster := served(t, kairon)
	_, want, _ := invoke(t, "", "preview", "-f", "testdata/preview/machine.yaml", "--replicas", "3", "--snapshot", kairon, "-o", "yaml")
	code, got, errs := invoke(t, "", "preview", "-f", "testdata/preview/machine.yaml", "--replicas", "3", "--kubeconfig", cluster.Kubeconfig(t, "shop"), "-o", "yaml")
	want, _, _ = strings.Cut(want, "notes:")
	if code != 3 || got != want || errs != "" {
		t.Errorf("exit code %d, stderr %q, got\n%s\nwant\n%s", code, errs, got, want)
	}
}

func TestAClusterMayDoWithoutKaironAndDynamicResources(t *testing.T) {
	cluster := served(t, "testdata/preview/daemonset.yaml")
	cluster.Unserve("machines", "machinequotas", "resourceclaims", "resourceslices", "affinityclasses")
	code, out, errs := invoke(t, "", "preview", "-f", web, "--kubeconfig", cluster.Kubeconfig(t, ""))
	if code != 1 || errs != "" || !strings.Contains(out, "0 of 0 nodes") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	if code, _, errs := invoke(t, "", "nodes", "--kubeconfig", cluster.Kubeconfig(t, "")); code != 0 {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

func TestTheContextGivesTheNamespace(t *testing.T) {
	cluster := served(t, kairon)
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"of the kubeconfig", []string{"--kubeconfig", cluster.Kubeconfig(t, "bank")}, "Pod bank/nowhere"},
		{"the flag before it", []string{"--kubeconfig", cluster.Kubeconfig(t, "bank"), "-n", "shop"}, "Pod shop/nowhere"},
		{"default where it names none", []string{"--kubeconfig", cluster.Kubeconfig(t, "")}, "Pod default/nowhere"},
		{"default for a snapshot, whatever the kubeconfig", []string{"--kubeconfig", cluster.Kubeconfig(t, "bank"), "--snapshot", dump}, "Pod default/nowhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := invoke(t, "", append([]string{"preview", "-f", nowhere}, tt.args...)...)
			if code != 1 || !strings.Contains(out, tt.want) {
				t.Errorf("exit code %d, no %q in %s%s", code, tt.want, out, errs)
			}
		})
	}
}

func TestWhatMayNotBeReadIsNamed(t *testing.T) {
	for _, resource := range []string{"nodes", "namespaces", "pods", "resourcequotas", "priorityclasses", "resourceclaims", "resourceslices", "machines", "machinequotas"} {
		t.Run(resource, func(t *testing.T) {
			cluster := served(t, kairon)
			cluster.Forbid(resource)
			code, out, errs := invoke(t, "", "preview", "-f", web, "--kubeconfig", cluster.Kubeconfig(t, ""))
			if code != 4 || out != "" || !strings.HasPrefix(errs, "error: list ") || !strings.Contains(errs, `cannot list resource "`+resource+`"`) {
				t.Errorf("exit code %d: %s%s", code, out, errs)
			}
		})
	}
}

func TestAServerThatIsNoClusterIsNotEmpty(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	kubeconfig := (&clustertest.Server{Server: other}).Kubeconfig(t, "")
	for _, verb := range [][]string{{"preview", "-f", web}, {"nodes"}} {
		code, out, errs := invoke(t, "", append(verb, "--kubeconfig", kubeconfig)...)
		if code != 4 || out != "" || !strings.Contains(errs, "list nodes: ") {
			t.Errorf("%v: exit code %d: %s%s", verb, code, out, errs)
		}
	}
}
