package envtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Whatever is done to the release, the cluster keeps its classes. It needs an API
// server of its own: Helm must be the one that installs the CRD.
func TestClassesSurviveTheReleaseThatBroughtThem(t *testing.T) {
	helm := newHelm(t)
	c := newClient(t, helm.server.Config)
	helm.run(t, "install", "affinity", helm.chart, "--create-namespace")
	if err := c.Create(t.Context(), class("dc1", map[string]string{"zone": "dc1"})); err != nil {
		t.Fatal(err)
	}
	born := read(t, c).UID
	steps := []struct {
		name string
		args []string
	}{
		{"an upgrade", []string{"upgrade", "affinity", helm.chart}},
		{"a second upgrade", []string{"upgrade", "affinity", helm.chart}},
		{"an upgrade that no longer installs CRDs", []string{"upgrade", "affinity", helm.chart, "--set", "crds.install=false"}},
		{"an upgrade that installs them again", []string{"upgrade", "affinity", helm.chart}},
		{"an uninstall", []string{"uninstall", "affinity"}},
		{"an installation anew", []string{"install", "affinity", helm.chart}},
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
	if class.UID == types.UID("") {
		t.Fatal("the class has no uid")
	}
	return &class
}

// helm runs Helm's own program against an API server of its own.
type helm struct {
	server     *envtest.Environment
	program    string
	chart      string
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
		program: filepath.Join(root, "bin", "helm"), chart: filepath.Join(root, "charts", "affinity-webhook"), home: t.TempDir(),
		server: &envtest.Environment{BinaryAssetsDirectory: folder, CRDDirectoryPaths: []string{"testdata"}, ErrorIfCRDPathMissing: true},
	}
	h.build(t)
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

// build links Helm from its module: minutes the first time, then a second.
func (h *helm) build(t *testing.T) {
	t.Helper()
	program, err := filepath.Abs(h.program)
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "helm.sh/helm/v4/cmd/helm")
	build.Dir = filepath.Join(root, "test", "tools", "helm")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build helm: %v\n%s", err, output)
	}
}

func (h *helm) run(t *testing.T, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), h.program, append(args, "--namespace", "affinity-system", "--kubeconfig", h.kubeconfig)...)
	command.Env = append(os.Environ(), "HELM_CACHE_HOME="+h.home, "HELM_CONFIG_HOME="+h.home, "HELM_DATA_HOME="+h.home)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("helm %v: %v\n%s", args, err, output)
	}
}
