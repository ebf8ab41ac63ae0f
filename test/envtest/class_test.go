package envtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
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

// agree creates an object without keeping it and compares what the API server
// says with what validation in Go says. It returns the server's answer.
func agree(t *testing.T, c client.Client, o client.Object) error {
	t.Helper()
	want := validated(t, o)
	got := c.Create(t.Context(), o.DeepCopyObject().(client.Object), client.DryRunAll)
	if got != nil && !apierrors.IsInvalid(got) {
		t.Fatalf("create %s: %v", o.GetName(), got)
	}
	if (got == nil) != (len(want) == 0) {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s:\nthe API server says %v\nvalidation says     %v", text, got, want.ToAggregate())
	}
	return got
}

func validated(t *testing.T, o client.Object) field.ErrorList {
	switch o := o.(type) {
	case *v1alpha1.AffinityClass:
		return v1alpha1.Validate(o)
	case *v1alpha1.AffinityExemption:
		return v1alpha1.ValidateExemption(o)
	case *tenantv1.Tenant:
		return tenantv1.Validate(o)
	}
	t.Fatalf("%T has no validation", o)
	return nil
}

// verdict is an object with words of the API server's answer; without words it is
// accepted.
type verdict struct {
	name    string
	object  client.Object
	refused string
}

func (v verdict) check(t *testing.T, c client.Client) {
	t.Run(v.name, func(t *testing.T) {
		got := agree(t, c, v.object)
		if v.refused == "" && got != nil {
			t.Errorf("refused: %v", got)
		}
		if v.refused != "" && (got == nil || !strings.Contains(got.Error(), v.refused)) {
			t.Errorf("the answer is %v, want it to say %q", got, v.refused)
		}
	})
}

func TestTheAPIServerAndValidateSayTheSame(t *testing.T) {
	name63 := strings.Repeat("n", 63)
	tests := []verdict{
		{name: "a plain class", object: class("dc1", map[string]string{"topology.kubernetes.io/zone": "dc1"})},
		{name: "a name of 63 characters", object: class(name63, pairs(1))},
		{name: "a name of 64 characters", object: class(name63+"n", pairs(1)), refused: "the name must be a DNS label of at most 63 characters"},
		{name: "a name with a dot", object: class("dc1.eu", pairs(1)), refused: "the name must be a DNS label"},
		{name: "a name in capitals", object: class("DC1", pairs(1)), refused: "metadata.name"},
		{name: "a name that ends with a dash", object: class("dc1-", pairs(1)), refused: "metadata.name"},
		{name: "no selector", object: class("dc1", nil), refused: "at least one of nodeSelector and nodeSelectorTerms is required"},
		{name: "an empty selector", object: class("dc1", map[string]string{}), refused: "at least one of nodeSelector and nodeSelectorTerms is required"},
		{name: "16 pairs", object: class("dc1", pairs(16))},
		{name: "17 pairs", object: class("dc1", pairs(17)), refused: "must have at most 16 items"},
		{name: "an empty value", object: class("dc1", map[string]string{"k": ""})},
		{name: "a value of 63 characters", object: class("dc1", map[string]string{"k": strings.Repeat("v", 63)})},
		{name: "a value of 64 characters", object: class("dc1", map[string]string{"k": strings.Repeat("v", 64)}), refused: "may not be more than 63"},
		{name: "a value that ends with a dash", object: class("dc1", map[string]string{"k": "v-"}), refused: "every value must be a label value"},
		{name: "a value with a space", object: class("dc1", map[string]string{"k": "a b"}), refused: "every value must be a label value"},
		{name: "a key of 63 characters", object: class("dc1", map[string]string{strings.Repeat("k", 63): "v"})},
		{name: "a key of 64 characters", object: class("dc1", map[string]string{strings.Repeat("k", 64): "v"}), refused: "every key must be a label key"},
		{name: "a key with a prefix of 253 characters", object: class("dc1", map[string]string{subdomain(253) + "/" + strings.Repeat("k", 63): "v"})},
		{name: "a key with a prefix of 254 characters", object: class("dc1", map[string]string{subdomain(254) + "/k": "v"}), refused: "every key must be a label key"},
		{name: "a key of 318 characters", object: class("dc1", map[string]string{subdomain(254) + "/" + strings.Repeat("k", 63): "v"}), refused: "every key must be a label key"},
		{name: "a key as long as a request may be", object: class("dc1", map[string]string{strings.Repeat("k", 1<<20): "v"}), refused: "every key must be a label key"},
		{name: "an empty key", object: class("dc1", map[string]string{"": "v"}), refused: "every key must be a label key"},
		{name: "a key with an empty prefix", object: class("dc1", map[string]string{"/k": "v"}), refused: "every key must be a label key"},
		{name: "a key with two slashes", object: class("dc1", map[string]string{"a/b/c": "v"}), refused: "every key must be a label key"},
		{name: "a prefix in capitals", object: class("dc1", map[string]string{"A.b/c": "v"}), refused: "every key must be a label key"},
		{name: "a description of 256 characters", object: described(strings.Repeat("é", 256))},
		{name: "a description of 257 characters", object: described(strings.Repeat("é", 257)), refused: "spec.description: Too long"},
		{name: "the action Deny", object: acting(v1alpha1.Deny)},
		{name: "the action Warn", object: acting(v1alpha1.Warn)},
		{name: "the action Audit", object: acting(v1alpha1.Audit)},
		{name: "an action in small letters", object: acting("warn"), refused: `supported values: "Deny", "Warn", "Audit"`},
	}
	c := admin(t)
	for _, test := range tests {
		test.check(t, c)
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
