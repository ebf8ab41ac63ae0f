package envtest

import (
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func class(name string, selector map[string]string) *v1alpha1.AffinityClass {
	return &v1alpha1.AffinityClass{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.AffinityClassSpec{NodeSelector: selector},
	}
}

func pairs(count int) map[string]string {
	selector := map[string]string{}
	for i := range count {
		selector[fmt.Sprintf("key-%02d", i)] = "v"
	}
	return selector
}

// subdomain is a DNS subdomain of this length.
func subdomain(length int) string {
	return strings.Repeat("abcdefgh.", length/9+1)[:length-1] + "z"
}

// agree creates a class without keeping it and compares what the API server says
// with what Validate says. It returns the server's answer.
func agree(t *testing.T, c client.Client, class *v1alpha1.AffinityClass) error {
	t.Helper()
	want := v1alpha1.Validate(class)
	got := c.Create(t.Context(), class.DeepCopy(), client.DryRunAll)
	if got != nil && !apierrors.IsInvalid(got) {
		t.Fatalf("create %s: %v", class.Name, got)
	}
	if (got == nil) != (len(want) == 0) {
		t.Errorf("class %q with %q:\nthe API server says %v\nValidate says       %v",
			class.Name, class.Spec.NodeSelector, got, want.ToAggregate())
	}
	return got
}

func TestTheAPIServerAndValidateSayTheSame(t *testing.T) {
	name63 := strings.Repeat("n", 63)
	tests := []struct {
		name  string
		class *v1alpha1.AffinityClass
		// refused are words of the API server's answer; empty means accepted.
		refused string
	}{
		{name: "a plain class", class: class("dc1", map[string]string{"topology.kubernetes.io/zone": "dc1"})},
		{name: "a name of 63 characters", class: class(name63, pairs(1))},
		{name: "a name of 64 characters", class: class(name63+"n", pairs(1)), refused: "the name must be a DNS label of at most 63 characters"},
		{name: "a name with a dot", class: class("dc1.eu", pairs(1)), refused: "the name must be a DNS label"},
		{name: "a name in capitals", class: class("DC1", pairs(1)), refused: "metadata.name"},
		{name: "a name that ends with a dash", class: class("dc1-", pairs(1)), refused: "metadata.name"},
		{name: "no selector", class: class("dc1", nil), refused: "spec.nodeSelector: Required"},
		{name: "an empty selector", class: class("dc1", map[string]string{}), refused: "spec.nodeSelector"},
		{name: "16 pairs", class: class("dc1", pairs(16))},
		{name: "17 pairs", class: class("dc1", pairs(17)), refused: "must have at most 16 items"},
		{name: "an empty value", class: class("dc1", map[string]string{"k": ""})},
		{name: "a value of 63 characters", class: class("dc1", map[string]string{"k": strings.Repeat("v", 63)})},
		{name: "a value of 64 characters", class: class("dc1", map[string]string{"k": strings.Repeat("v", 64)}), refused: "may not be more than 63"},
		{name: "a value that ends with a dash", class: class("dc1", map[string]string{"k": "v-"}), refused: "every value must be a label value"},
		{name: "a value with a space", class: class("dc1", map[string]string{"k": "a b"}), refused: "every value must be a label value"},
		{name: "a key of 63 characters", class: class("dc1", map[string]string{strings.Repeat("k", 63): "v"})},
		{name: "a key of 64 characters", class: class("dc1", map[string]string{strings.Repeat("k", 64): "v"}), refused: "every key must be a label key"},
		{name: "a key with a prefix of 253 characters", class: class("dc1", map[string]string{subdomain(253) + "/" + strings.Repeat("k", 63): "v"})},
		{name: "a key with a prefix of 254 characters", class: class("dc1", map[string]string{subdomain(254) + "/k": "v"}), refused: "every key must be a label key"},
		{name: "a key of 318 characters", class: class("dc1", map[string]string{subdomain(254) + "/" + strings.Repeat("k", 63): "v"}), refused: "every key must be a label key"},
		{name: "a key as long as a request may be", class: class("dc1", map[string]string{strings.Repeat("k", 1<<20): "v"}), refused: "every key must be a label key"},
		{name: "an empty key", class: class("dc1", map[string]string{"": "v"}), refused: "every key must be a label key"},
		{name: "a key with an empty prefix", class: class("dc1", map[string]string{"/k": "v"}), refused: "every key must be a label key"},
		{name: "a key with two slashes", class: class("dc1", map[string]string{"a/b/c": "v"}), refused: "every key must be a label key"},
		{name: "a prefix in capitals", class: class("dc1", map[string]string{"A.b/c": "v"}), refused: "every key must be a label key"},
		{name: "a description of 256 characters", class: described(strings.Repeat("é", 256))},
		{name: "a description of 257 characters", class: described(strings.Repeat("é", 257)), refused: "spec.description: Too long"},
		{name: "the action Deny", class: acting(v1alpha1.Deny)},
		{name: "an action that is not built yet", class: acting("Warn"), refused: `supported values: "Deny"`},
	}
	c := admin(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := agree(t, c, test.class)
			if test.refused == "" && got != nil {
				t.Errorf("refused: %v", got)
			}
			if test.refused != "" && (got == nil || !strings.Contains(got.Error(), test.refused)) {
				t.Errorf("the answer is %v, want it to say %q", got, test.refused)
			}
		})
	}
}

// The rules of keys, values and names are told in the same words by both.
func TestARuleHasTheSameWordsInBoth(t *testing.T) {
	broken := []*v1alpha1.AffinityClass{
		class("dc1.eu", pairs(1)),
		class("dc1", map[string]string{"a b": "v"}),
		class("dc1", map[string]string{"k": "-"}),
	}
	c := admin(t)
	for _, class := range broken {
		got := agree(t, c, class)
		for _, want := range v1alpha1.Validate(class) {
			if got == nil || !strings.Contains(got.Error(), want.Detail) {
				t.Errorf("Validate says %q, the API server says %v", want.Detail, got)
			}
		}
	}
}

func described(text string) *v1alpha1.AffinityClass {
	c := class("dc1", pairs(1))
	c.Spec.Description = text
	return c
}

func acting(action v1alpha1.EnforcementAction) *v1alpha1.AffinityClass {
	c := class("dc1", pairs(1))
	c.Spec.EnforcementAction = action
	return c
}
