package envtest

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

const immutable = "nodeSelector is immutable"

// Each way of writing an object tries to change the selector: at once, and by
// taking it, or all of spec, away first to add another one afterwards.
func TestTheSelectorCannotBeChangedByAnyWayOfWriting(t *testing.T) {
	const other = `{"zone":"dc2"}`
	tests := []struct {
		name    string
		write   func(t *testing.T, c client.Client, name string) error
		refused string
	}{
		{"an update to another value", update(func(spec object) { spec["nodeSelector"] = object{"zone": "dc2"} }), immutable},
		{"an update with one more pair", update(func(spec object) { spec["nodeSelector"].(object)["gpu"] = "yes" }), immutable},
		{"an update without the selector", update(func(spec object) { delete(spec, "nodeSelector") }), "spec.nodeSelector: Required"},
		{"an update with a null selector", update(func(spec object) { spec["nodeSelector"] = nil }), "spec.nodeSelector"},
		{"an update with an empty selector", update(func(spec object) { spec["nodeSelector"] = object{} }), "spec.nodeSelector"},
		{"an update without spec", updateObject(func(o object) { delete(o, "spec") }), "spec: Required"},
		{"an update with a null spec", updateObject(func(o object) { o["spec"] = nil }), "spec"},
		{"a merge patch to another value", patch(types.MergePatchType, `{"spec":{"nodeSelector":`+other+`}}`), immutable},
		{"a merge patch that takes the selector away", patch(types.MergePatchType, `{"spec":{"nodeSelector":null}}`), "spec.nodeSelector: Required"},
		{"a merge patch that takes spec away", patch(types.MergePatchType, `{"spec":null}`), "spec: Required"},
		{"a merge patch that takes one pair away", patch(types.MergePatchType, `{"spec":{"nodeSelector":{"disk":null}}}`), immutable},
		{"a JSON patch that replaces the selector", patch(types.JSONPatchType, `[{"op":"replace","path":"/spec/nodeSelector","value":`+other+`}]`), immutable},
		{"a JSON patch that removes it and adds another", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec/nodeSelector"},{"op":"add","path":"/spec/nodeSelector","value":`+other+`}]`), immutable},
		{"a JSON patch that removes spec and adds another", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec"},{"op":"add","path":"/spec","value":{"nodeSelector":`+other+`}}]`), immutable},
		{"a JSON patch that removes spec", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec"}]`), "spec: Required"},
		{"an apply of another value", apply(object{"nodeSelector": object{"zone": "dc2"}}), immutable},
		{"an apply of one more pair", apply(object{"nodeSelector": object{"gpu": "yes"}}), immutable},
	}
	c := admin(t)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			name := created(t, c, i)
			err := test.write(t, c, name)
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("the answer is %v, want it to say %q", err, test.refused)
			}
			var after v1alpha1.AffinityClass
			if err := c.Get(t.Context(), client.ObjectKey{Name: name}, &after); err != nil {
				t.Fatal(err)
			}
			if got := after.Spec.NodeSelector; len(got) != 2 || got["zone"] != "dc1" {
				t.Errorf("the selector became %v", got)
			}
		})
	}
}

// Applying a selector as one's own and then applying without it would drop the
// pairs that nobody owns any more.
func TestTheSelectorCannotBeGivenUpByItsOwner(t *testing.T) {
	c := admin(t)
	const name = "given-up"
	if err := apply(object{"nodeSelector": object{"zone": "dc1"}})(t, c, name); err != nil {
		t.Fatal(err)
	}
	remove(t, c, name)
	err := apply(object{"description": "none"})(t, c, name)
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.nodeSelector: Required") {
		t.Errorf("the answer is %v, want the selector to be required", err)
	}
}

func TestEverythingElseMayChange(t *testing.T) {
	tests := []struct {
		name  string
		write func(t *testing.T, c client.Client, name string) error
	}{
		{"an update that changes nothing", update(func(object) {})},
		{"an update of the description", update(func(spec object) { spec["description"] = "the first site" })},
		{"an update of labels", updateObject(func(o object) { o["metadata"].(object)["labels"] = object{"a": "b"} })},
		{"a patch with the same selector", patch(types.MergePatchType, `{"spec":{"nodeSelector":{"zone":"dc1"}}}`)},
		{"a JSON patch that removes spec and adds the same", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec"},{"op":"add","path":"/spec","value":{"nodeSelector":{"zone":"dc1","disk":""}}}]`)},
		{"an apply of the same selector", apply(object{"nodeSelector": object{"zone": "dc1", "disk": ""}})},
	}
	c := admin(t)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.write(t, c, created(t, c, 100+i)); err != nil {
				t.Error(err)
			}
		})
	}
}

type object = map[string]any

func created(t *testing.T, c client.Client, number int) string {
	t.Helper()
	class := class("immutable-"+string(rune('a'+number%26))+string(rune('a'+number/26)), map[string]string{"zone": "dc1", "disk": ""})
	if err := c.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	remove(t, c, class.Name)
	return class.Name
}

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
