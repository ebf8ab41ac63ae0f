package envtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

const (
	fixedPairs = "nodeSelector is immutable"
	fixedTerms = "nodeSelectorTerms is immutable"
	oneOfBoth  = "at least one of nodeSelector and nodeSelectorTerms is required"
)

// Each way of writing an object tries to change a selector: at once, and by
// taking it, or all of spec, away first to add another one afterwards.
func TestASelectorCannotBeChangedByAnyWayOfWriting(t *testing.T) {
	const (
		other = `{"zone":"dc2"}`
		terms = `[{"matchExpressions":[{"key":"gpu","operator":"Exists"}]}]`
	)
	otherTerms := []any{object{"matchExpressions": []any{object{"key": "gpu", "operator": "Exists"}}}}
	tests := []struct {
		name    string
		write   func(t *testing.T, c client.Client, name string) error
		refused string
	}{
		{"an update to another value", update(func(spec object) { spec["nodeSelector"] = object{"zone": "dc2"} }), fixedPairs},
		{"an update with one more pair", update(func(spec object) { spec["nodeSelector"].(object)["gpu"] = "yes" }), fixedPairs},
		{"an update without the pairs", update(func(spec object) { delete(spec, "nodeSelector") }), fixedPairs},
		{"an update without the terms", update(func(spec object) { delete(spec, "nodeSelectorTerms") }), fixedTerms},
		{"an update without either", update(func(spec object) { delete(spec, "nodeSelector"); delete(spec, "nodeSelectorTerms") }), oneOfBoth},
		{"an update to other terms", update(func(spec object) { spec["nodeSelectorTerms"] = otherTerms }), fixedTerms},
		{"an update with one more term", update(func(spec object) {
			spec["nodeSelectorTerms"] = append(spec["nodeSelectorTerms"].([]any), otherTerms...)
		}), fixedTerms},
		{"an update with null pairs", update(func(spec object) { spec["nodeSelector"] = nil }), "spec.nodeSelector"},
		{"an update with empty pairs", update(func(spec object) { spec["nodeSelector"] = object{} }), "spec.nodeSelector"},
		{"an update with empty terms", update(func(spec object) { spec["nodeSelectorTerms"] = []any{} }), "spec.nodeSelectorTerms"},
		{"an update without spec", updateObject(func(o object) { delete(o, "spec") }), "spec: Required"},
		{"an update with a null spec", updateObject(func(o object) { o["spec"] = nil }), "spec"},
		{"a merge patch to another value", patch(types.MergePatchType, `{"spec":{"nodeSelector":`+other+`}}`), fixedPairs},
		{"a merge patch that takes the pairs away", patch(types.MergePatchType, `{"spec":{"nodeSelector":null}}`), fixedPairs},
		{"a merge patch that takes one pair away", patch(types.MergePatchType, `{"spec":{"nodeSelector":{"disk":null}}}`), fixedPairs},
		{"a merge patch that takes the terms away", patch(types.MergePatchType, `{"spec":{"nodeSelectorTerms":null}}`), fixedTerms},
		{"a merge patch to other terms", patch(types.MergePatchType, `{"spec":{"nodeSelectorTerms":`+terms+`}}`), fixedTerms},
		{"a merge patch that takes spec away", patch(types.MergePatchType, `{"spec":null}`), "spec: Required"},
		{"a JSON patch that replaces the pairs", patch(types.JSONPatchType, `[{"op":"replace","path":"/spec/nodeSelector","value":`+other+`}]`), fixedPairs},
		{"a JSON patch that removes them and adds others", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec/nodeSelector"},{"op":"add","path":"/spec/nodeSelector","value":`+other+`}]`), fixedPairs},
		{"a JSON patch that removes the terms and adds others", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec/nodeSelectorTerms"},{"op":"add","path":"/spec/nodeSelectorTerms","value":`+terms+`}]`), fixedTerms},
		{"a JSON patch of one value of a term", patch(types.JSONPatchType, `[{"op":"replace","path":"/spec/nodeSelectorTerms/0/matchExpressions/0/values/0","value":"b"}]`), fixedTerms},
		{"a JSON patch that removes spec and adds other pairs", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec"},{"op":"add","path":"/spec","value":{"nodeSelector":`+other+`}}]`), fixedPairs},
		{"a JSON patch that removes spec and adds other terms", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec"},{"op":"add","path":"/spec","value":{"nodeSelectorTerms":`+terms+`}}]`), fixedTerms},
		{"a JSON patch that removes spec", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec"}]`), "spec: Required"},
		{"an apply of another value", apply(object{"nodeSelector": object{"zone": "dc2"}}), fixedPairs},
		{"an apply of one more pair", apply(object{"nodeSelector": object{"gpu": "yes"}}), fixedPairs},
		{"an apply of other terms", apply(object{"nodeSelectorTerms": otherTerms}), fixedTerms},
	}
	c := admin(t)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := created(t, c, i)
			err := test.write(t, c, before.Name)
			if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), test.refused) {
				t.Errorf("the answer is %v, want it to say %q", err, test.refused)
			}
			var after v1alpha1.AffinityClass
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(before), &after); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before.Spec, after.Spec); diff != "" {
				t.Errorf("the class became another (-before +after):\n%s", diff)
			}
		})
	}
}

// A selector that a class never had is a change too: terms narrow pairs.
func TestASelectorCannotBeAdded(t *testing.T) {
	c := admin(t)
	keep(t, c, class("added-terms", pairs(1)))
	pairless := with(term(requires("k", "Exists")))
	pairless.Name = "added-pairs"
	keep(t, c, pairless)
	added := map[string]error{
		fixedTerms: patch(types.MergePatchType, `{"spec":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}`)(t, c, "added-terms"),
		fixedPairs: patch(types.MergePatchType, `{"spec":{"nodeSelector":{"k":"v"}}}`)(t, c, "added-pairs"),
	}
	for want, err := range added {
		if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("the answer is %v, want it to say %q", err, want)
		}
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
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), fixedPairs) {
		t.Errorf("the answer is %v, want the selector to be immutable", err)
	}
}
