package e2e_test

import (
	"bytes"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/kube"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/cozystack/affinityclass/test/controlplane"
)

const helmPatience = 5 * time.Minute

// helm is the SDK, set up as `helm --namespace affinity-system` is.
type helm struct {
	config *action.Configuration
	chart  *chart.Chart
}

func newHelm(t *testing.T, cp *controlplane.ControlPlane) *helm {
	t.Helper()
	root, err := controlplane.Root()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := loader.LoadDir(filepath.Join(root, "charts", "affinity-webhook"))
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, into := cp.Kubeconfig(), namespace
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig, flags.Namespace = &kubeconfig, &into
	h := &helm{config: action.NewConfiguration(), chart: loaded}
	if err := h.config.Init(flags, namespace, "secret"); err != nil {
		t.Fatal(err)
	}
	return h
}

// install returns when Helm finds everything ready: the certificates, too.
func (h *helm) install(t *testing.T) {
	t.Helper()
	install := action.NewInstall(h.config)
	install.ReleaseName, install.Namespace, install.CreateNamespace = name, namespace, true
	install.Timeout, install.WaitStrategy = helmPatience, kube.StatusWatcherStrategy
	install.PostRenderer = unprivileged{}
	if _, err := install.RunWithContext(t.Context(), h.chart, map[string]any{}); err != nil {
		t.Fatalf("helm install: %v", err)
	}
}

func (h *helm) upgrade(t *testing.T) {
	t.Helper()
	upgrade := action.NewUpgrade(h.config)
	upgrade.Namespace = namespace
	upgrade.Timeout, upgrade.WaitStrategy = helmPatience, kube.StatusWatcherStrategy
	upgrade.PostRenderer = unprivileged{}
	if _, err := upgrade.RunWithContext(t.Context(), name, h.chart, map[string]any{}); err != nil {
		t.Fatalf("helm upgrade: %v", err)
	}
}

func (h *helm) uninstall(t *testing.T) {
	t.Helper()
	uninstall := action.NewUninstall(h.config)
	uninstall.Timeout, uninstall.WaitStrategy = helmPatience, kube.StatusWatcherStrategy
	if _, err := uninstall.Run(name); err != nil {
		t.Fatalf("helm uninstall: %v", err)
	}
}

// unprivileged is a post-renderer: the Service's port, and the one that the
// webhooks name, are not below 1024.
type unprivileged struct{}

var privileged = regexp.MustCompile(`(?m)^(\s*(?:- )?port: )443$`)

// Run implements postrenderer.PostRenderer.
func (unprivileged) Run(manifests *bytes.Buffer) (*bytes.Buffer, error) {
	return bytes.NewBuffer(privileged.ReplaceAll(manifests.Bytes(), []byte("${1}"+webhookPort))), nil
}
