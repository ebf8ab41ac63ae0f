package lineage

import (
	"context"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/cozystack/affinityclass/lineage/cluster"
)

// Flux is installed under a running server, removed with all its releases, and
// installed again.
func TestTheReleaseCacheOutlivesFlux(t *testing.T) {
	informers, err := cache.New(server.Config, cache.Options{DefaultTransform: cluster.TrimRelease})
	if err != nil {
		t.Fatal(err)
	}
	releases := cluster.WatchReleases(informers)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	go func() { ended <- informers.Start(ctx) }()
	go func() { ended <- releases.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	eventually(t, "synced without Flux", releases.HasSynced)
	for _, round := range []string{"at first", "after Flux was removed"} {
		flux(t, envtest.InstallCRDs)
		c := admin(t)
		eventually(t, "a release is made "+round, func() bool { return c.Create(t.Context(), release()) == nil })
		eventually(t, "it is watched "+round, func() bool {
			got, ok := releases.Release("default", "web")
			return ok && got.Release.Remote && got.Release.TargetNamespace == "shop" && !got.Release.Ready
		})
		changed := release()
		changed.SetLabels(map[string]string{"a": "b"})
		if err := c.Patch(t.Context(), changed, client.Merge); err != nil {
			t.Fatal(err)
		}
		eventually(t, "its change is watched "+round, func() bool {
			got, ok := releases.Release("default", "web")
			return ok && got.Labels["a"] == "b"
		})
		flux(t, func(config *rest.Config, options envtest.CRDInstallOptions) ([]*apiextensionsv1.CustomResourceDefinition, error) {
			return nil, envtest.UninstallCRDs(config, options)
		})
		eventually(t, "it is gone "+round, func() bool { _, ok := releases.Release("default", "web"); return !ok })
	}
	if !releases.HasSynced() {
		t.Error("a server that was ready must not become unready because Flux comes or goes")
	}
}

func flux(t *testing.T, do func(*rest.Config, envtest.CRDInstallOptions) ([]*apiextensionsv1.CustomResourceDefinition, error)) {
	t.Helper()
	file := filepath.Join(root, "test", "cluster", "crd", "helm.toolkit.fluxcd.io_helmreleases.yaml")
	if _, err := do(server.Config, envtest.CRDInstallOptions{Paths: []string{file}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
}

func release() *unstructured.Unstructured {
	made := cluster.ReleaseKind()
	made.SetNamespace("default")
	made.SetName("web")
	made.Object["spec"] = map[string]any{
		"interval":        "5m",
		"targetNamespace": "shop",
		"kubeConfig":      map[string]any{"secretRef": map[string]any{"name": "guest"}},
		"chartRef":        map[string]any{"kind": "OCIRepository", "name": "web"},
		"values":          map[string]any{"size": "large"},
	}
	return made
}
