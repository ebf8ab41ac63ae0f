package envtest

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// The ways in which a client can write a class that exists.

type object = map[string]any

func remove(t *testing.T, c client.Client, name string) {
	t.Cleanup(func() {
		// The test's own context is done by now.
		if err := c.Delete(context.Background(), class(name, nil)); err != nil {
			t.Error(err)
		}
	})
}

func unstructuredClass(name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("AffinityClass"))
	o.SetName(name)
	return o
}

func update(change func(spec object)) func(*testing.T, client.Client, string) error {
	return updateObject(func(o object) { change(o["spec"].(object)) })
}

func updateObject(change func(object)) func(*testing.T, client.Client, string) error {
	return func(t *testing.T, c client.Client, name string) error {
		o := unstructuredClass(name)
		if err := c.Get(t.Context(), client.ObjectKey{Name: name}, o); err != nil {
			t.Fatal(err)
		}
		change(o.Object)
		return c.Update(t.Context(), o)
	}
}

func patch(kind types.PatchType, text string) func(*testing.T, client.Client, string) error {
	return func(t *testing.T, c client.Client, name string) error {
		return c.Patch(t.Context(), unstructuredClass(name), client.RawPatch(kind, []byte(text)))
	}
}

func apply(spec object) func(*testing.T, client.Client, string) error {
	return func(t *testing.T, c client.Client, name string) error {
		o := unstructuredClass(name)
		o.Object["spec"] = spec
		return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o), client.FieldOwner("test"), client.ForceOwnership)
	}
}
