package envtest

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func TestEverythingElseMayChange(t *testing.T) {
	const same = `{"nodeSelector":{"zone":"dc1","disk":""},"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"In","values":["a",""]},{"key":"l","operator":"Exists"}]}]}`
	tests := []struct {
		name  string
		write func(t *testing.T, c client.Client, name string) error
	}{
		{"an update that changes nothing", update(func(object) {})},
		{"an update of the description", update(func(spec object) { spec["description"] = "the first site" })},
		{"an update of the action", update(func(spec object) { spec["enforcementAction"] = "Warn" })},
		{"an update of tolerations", update(func(spec object) { spec["tolerations"] = []any{object{"operator": "Exists"}} })},
		{"an update of labels", updateObject(func(o object) { o["metadata"].(object)["labels"] = object{"a": "b"} })},
		{"an update by a client that knows the type", func(t *testing.T, c client.Client, name string) error {
			var class v1alpha1.AffinityClass
			if err := c.Get(t.Context(), client.ObjectKey{Name: name}, &class); err != nil {
				t.Fatal(err)
			}
			class.Spec.Description = "the first site"
			return c.Update(t.Context(), &class)
		}},
		{"a patch with the same selector", patch(types.MergePatchType, `{"spec":`+same+`}`)},
		{"a JSON patch that removes spec and adds the same", patch(types.JSONPatchType, `[{"op":"remove","path":"/spec"},{"op":"add","path":"/spec","value":`+same+`}]`)},
		{"an apply of the same selector", apply(object{"nodeSelector": object{"zone": "dc1", "disk": ""}})},
	}
	c := admin(t)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.write(t, c, created(t, c, 100+i).Name); err != nil {
				t.Error(err)
			}
		})
	}
}

// created is a class with pairs and terms, for the time of the test.
func created(t *testing.T, c client.Client, number int) *v1alpha1.AffinityClass {
	t.Helper()
	class := class(fmt.Sprintf("immutable-%d", number), map[string]string{"zone": "dc1", "disk": ""})
	class.Spec.NodeSelectorTerms = with(term(requires("k", "In", "a", ""), requires("l", "Exists"))).Spec.NodeSelectorTerms
	keep(t, c, class)
	return class
}
