package envtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

const chart = root + "/charts/affinity-webhook"

// Whatever is done to the release, the cluster keeps its classes. It needs an API
// server of its own: Helm must be the one that installs the CRD. The class is made
// while no release is installed: its webhooks have no server here.
func TestClassesSurviveTheReleaseThatBroughtThem(t *testing.T) {
	helm := newHelm(t)
	c := newClient(t, helm.server.Config)
	helm.run(t, "install", "affinity", chart, "--create-namespace")
	helm.run(t, "uninstall", "affinity")
	if err := c.Create(t.Context(), class("dc1", map[string]string{"zone": "dc1"})); err != nil {
		t.Fatal(err)
	}
	born := read(t, c).UID
	steps := []struct {
		name string
		args []string
	}{
		{"an installation", []string{"install", "affinity", chart}},
		{"an upgrade", []string{"upgrade", "affinity", chart}},
		{"a second upgrade", []string{"upgrade", "affinity", chart}},
		{"an upgrade that no longer installs CRDs", []string{"upgrade", "affinity", chart, "--set", "crds.install=false"}},
		{"an upgrade that installs them again", []string{"upgrade", "affinity", chart}},
		{"an uninstall", []string{"uninstall", "affinity"}},
		{"an installation anew", []string{"install", "affinity", chart}},
		{"a last uninstall", []string{"uninstall", "affinity"}},
	}
	for _, step := range steps {
		helm.run(t, step.args...)
		if after := read(t, c).UID; after != born {
			t.Fatalf("after %s the class is another one", step.name)
		}
	}
	var webhooks admissionv1.ValidatingWebhookConfiguration
	err := c.Get(t.Context(), client.ObjectKey{Name: "affinity-affinity-webhook"}, &webhooks)
	if !apierrors.IsNotFound(err) {
		t.Errorf("the webhooks must go with the release: %v", err)
	}
}

func read(t *testing.T, c client.Client) *v1alpha1.AffinityClass {
	t.Helper()
	var class v1alpha1.AffinityClass
	if err := c.Get(t.Context(), client.ObjectKey{Name: "dc1"}, &class); err != nil {
		t.Fatal(err)
	}
	return &class
}

// helm runs Helm's own program against an API server of its own.
type helm struct {
	server     *envtest.Environment
	program    string
	kubeconfig string
	home       string
}

func newHelm(t *testing.T) *helm {
	t.Helper()
	folder, err := assets()
	if err != nil {
		t.Fatal(err)
	}
	h := &helm{
		program: buildHelm(t), home: t.TempDir(),
		server: &envtest.Environment{BinaryAssetsDirectory: folder, CRDDirectoryPaths: []string{"testdata"}, ErrorIfCRDPathMissing: true},
	}
	if _, err := h.server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.server.Stop(); err != nil {
			t.Error(err)
		}
	})
	h.kubeconfig = filepath.Join(h.home, "kubeconfig")
	if err := os.WriteFile(h.kubeconfig, h.server.KubeConfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// buildHelm links Helm from its module: minutes the first time, then a second.
func buildHelm(t *testing.T) string {
	t.Helper()
	program, err := filepath.Abs(filepath.Join(root, "bin", "helm"))
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "helm.sh/helm/v4/cmd/helm")
	build.Dir = filepath.Join(root, "test", "tools", "helm")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build helm: %v\n%s", err, output)
	}
	return program
}

// template renders the chart.
func template(t *testing.T, args ...string) []byte {
	t.Helper()
	var problems bytes.Buffer
	command := exec.CommandContext(t.Context(), buildHelm(t), append([]string{"template", "affinity", chart}, args...)...)
	command.Stderr = &problems
	stream, err := command.Output()
	if err != nil {
		t.Fatalf("helm template %v: %v\n%s", args, err, &problems)
	}
	return stream
}

func (h *helm) run(t *testing.T, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), h.program, append(args, "--namespace", "affinity-system", "--kubeconfig", h.kubeconfig)...)
	command.Env = append(os.Environ(), "HELM_CACHE_HOME="+h.home, "HELM_CONFIG_HOME="+h.home, "HELM_DATA_HOME="+h.home)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("helm %v: %v\n%s", args, err, output)
	}
}
