package fault_test

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/platform"
)

// What is no business of the webhook's goes on without it, finalizers above all; what
// decides a class, or forges one, waits.
func TestOnlyWhatDecidesAClassWaitsForTheWebhook(t *testing.T) {
	space := governed(t, "releases-alone")
	whole := namedRelease(space, "whole", map[string]any{"affinityClass": "dc1", "replicas": int64(1)})
	odd := namedRelease(space, "odd", "a text")
	bare := namedRelease(space, "bare", nil)
	going := namedRelease(space, "going", map[string]any{"affinityClass": "dc1"})
	going.SetFinalizers([]string{"example.org/hold"})
	put(t, whole, odd, bare, going)
	if label := whole.GetLabels()["apps.cozystack.io/affinity-class"]; label != "dc1" {
		t.Fatalf("the release was not completed: label %q", label)
	}
	service.withdraw(platform.Server)
	service.cut()
	defer service.serve(platform.Server, world.URL)
	for _, tt := range []struct {
		name    string
		release *unstructured.Unstructured
		patch   string
		waits   bool
	}{
		{"another value", whole, `{"spec":{"values":{"replicas":2}}}`, false},
		{"the controller's own annotations and finalizer", whole, `{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":"now"},"finalizers":["finalizers.fluxcd.io"]}}`, false},
		{"a finalizer that goes", whole, `{"metadata":{"finalizers":null}}`, false},
		{"another chart", whole, `{"spec":{"chart":{"spec":{"version":"2"}}}}`, false},
		{"suspension", whole, `{"spec":{"suspend":true}}`, false},
		{"another text for values", odd, `{"spec":{"values":"another text"}}`, false},
		{"suspension of one without values", bare, `{"spec":{"suspend":true}}`, false},
		{"another class", whole, `{"spec":{"values":{"affinityClass":"dc2"}}}`, true},
		{"no class", whole, `{"spec":{"values":{"affinityClass":null}}}`, true},
		{"a class by annotation", bare, `{"metadata":{"annotations":{"affinity.cozystack.io/class":"dc2"}}}`, true},
		{"a first class", bare, `{"spec":{"values":{"affinityClass":"dc2"}}}`, true},
		{"values that become an object", odd, `{"spec":{"values":{"affinityClass":"dc2"}}}`, true},
		{"a forged label", whole, `{"metadata":{"labels":{"apps.cozystack.io/affinity-class":"dc2"}}}`, true},
		{"a label that goes", whole, `{"metadata":{"labels":{"apps.cozystack.io/affinity-class":null}}}`, true},
		{"a forged selector", whole, `{"spec":{"values":{"_scheduling":{"nodeSelector":{"a":"b"}}}}}`, true},
		{"a forged former class", whole, `{"metadata":{"annotations":{"affinity.cozystack.io/previous-class":"dc2"}}}`, true},
		{"another cluster", whole, `{"spec":{"kubeConfig":{"secretRef":{"name":"k"}}}}`, true},
		{"a parent", whole, `{"metadata":{"labels":{"helm.toolkit.fluxcd.io/name":"bare"}}}`, true},
	} {
		err := world.Client.Patch(t.Context(), tt.release.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(tt.patch)))
		if waited := err != nil && strings.Contains(err.Error(), "failed calling webhook"); waited != tt.waits || !waited && err != nil {
			t.Errorf("%s: got %v, and it waits: %v", tt.name, err, tt.waits)
		}
	}
	do(t, func() error { return world.Client.Delete(t.Context(), going) })
	release := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
	do(t, func() error { return client.IgnoreNotFound(world.Client.Patch(t.Context(), going.DeepCopy(), release)) })
	eventually(t, func() error {
		err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(going), going.DeepCopy())
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("a release that is deleted is still there: %w", err)
	})
}

func namedRelease(namespace, name string, values any) *unstructured.Unstructured {
	spec := map[string]any{"interval": "5m", "chart": map[string]any{"spec": map[string]any{
		"chart": "web", "sourceRef": map[string]any{"kind": "HelmRepository", "name": "examples"}}}}
	if values != nil {
		spec["values"] = values
	}
	release := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": spec,
		"metadata": map[string]any{"namespace": namespace, "name": name},
	}}
	return release
}
