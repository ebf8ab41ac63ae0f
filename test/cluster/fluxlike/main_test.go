package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// cluster is a control plane on which fluxlike runs.
type cluster struct {
	t *testing.T
	client.Client
}

func startCluster(t *testing.T) *cluster {
	t.Helper()
	cp := controlplane.ForTest(t, controlplane.Options{})
	ctx := t.Context()
	if err := cp.AddNodes(ctx, []controlplane.NodeSpec{{Name: "node"}}); err != nil {
		t.Fatal(err)
	}
	installCRDs(t, cp)
	program, err := controlplane.Binary("fluxlike")
	if err != nil {
		t.Fatal(err)
	}
	port, err := controlplane.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	charts, err := filepath.Abs("testdata/charts")
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	if err := cp.Run(ctx, controlplane.Process{
		Name:  "fluxlike",
		Path:  program,
		Args:  []string{"--charts", charts, "--health-address", address},
		Env:   []string{"KUBECONFIG=" + cp.Kubeconfig()},
		Ready: controlplane.HTTPReady("http://"+address+"/readyz", nil),
	}); err != nil {
		t.Fatal(err)
	}
	return &cluster{t: t, Client: newClient(t, cp)}
}

func installCRDs(t *testing.T, cp *controlplane.ControlPlane) {
	t.Helper()
	kubectl, err := controlplane.Binary("kubectl")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"apply", "--server-side", "-f", "../crd"},
		{"wait", "--for=condition=Established", "crd", "--all"},
	} {
		command := exec.CommandContext(t.Context(), kubectl, append(args, "--kubeconfig", cp.Kubeconfig())...)
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("kubectl %v: %v\n%s", args, err, output)
		}
	}
}

func newClient(t *testing.T, cp *controlplane.ControlPlane) client.Client {
	t.Helper()
	config, err := cp.RESTConfig()
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v2.AddToScheme, corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newRelease asks for the chart "web" in the default namespace.
func newRelease(name string, values map[string]any) *v2.HelmRelease {
	return &v2.HelmRelease{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"of": "the-release"}},
		Spec: v2.HelmReleaseSpec{
			Interval: metav1.Duration{Duration: time.Hour},
			Timeout:  &metav1.Duration{Duration: time.Minute},
			Chart: &v2.HelmChartTemplate{Spec: v2.HelmChartTemplateSpec{
				Chart:     "./web",
				SourceRef: v2.CrossNamespaceObjectReference{Kind: "GitRepository", Name: "charts"},
			}},
			Values: asJSON(values),
		},
	}
}

func asJSON(values map[string]any) *apiextensionsv1.JSON {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return &apiextensionsv1.JSON{Raw: text}
}

func (c *cluster) create(objects ...client.Object) {
	c.t.Helper()
	for _, object := range objects {
		if err := c.Create(c.t.Context(), object); err != nil {
			c.t.Fatalf("create %T %s: %v", object, object.GetName(), err)
		}
	}
}

func (c *cluster) read(name string, object client.Object) {
	c.t.Helper()
	if err := c.Get(c.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, object); err != nil {
		c.t.Fatalf("read %T %s: %v", object, name, err)
	}
}

// change edits a release as a user would.
func (c *cluster) change(name string, edit func(*v2.HelmRelease)) {
	c.t.Helper()
	release := &v2.HelmRelease{}
	c.read(name, release)
	before := release.DeepCopy()
	edit(release)
	if err := c.Patch(c.t.Context(), release, client.MergeFrom(before)); err != nil {
		c.t.Fatalf("change HelmRelease %s: %v", name, err)
	}
}

// observed waits until the release has been acted on at its current generation and
// returns it.
func (c *cluster) observed(name string) *v2.HelmRelease {
	c.t.Helper()
	release := &v2.HelmRelease{}
	c.until("release "+name+" is observed", func(ctx context.Context) bool {
		err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, release)
		return err == nil && release.Status.ObservedGeneration == release.Generation
	})
	return release
}

func (c *cluster) until(what string, holds func(context.Context) bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 90*time.Second)
	defer cancel()
	for !holds(ctx) {
		select {
		case <-ctx.Done():
			c.t.Fatalf("%s: not within 90 s", what)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

func condition(release *v2.HelmRelease, kind string) metav1.Condition {
	if found := apimeta.FindStatusCondition(release.Status.Conditions, kind); found != nil {
		return *found
	}
	return metav1.Condition{}
}

func ready(release *v2.HelmRelease) metav1.Condition { return condition(release, meta.ReadyCondition) }
