package v1alpha1_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func described(length int) *v1alpha1.AffinityClass {
	c := class("dc1", pairs(1))
	c.Spec.Description = strings.Repeat("é", length)
	return c
}

func acting(action v1alpha1.EnforcementAction) *v1alpha1.AffinityClass {
	c := class("dc1", pairs(1))
	c.Spec.EnforcementAction = action
	return c
}

func TestValidateNamesEveryFieldThatBreaksARule(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		class  *v1alpha1.AffinityClass
		want   []string
	}{
		{name: "a plain class is good", class: class("dc1", map[string]string{"topology.kubernetes.io/zone": "dc1"})},
		{name: "an empty value is a label value", reason: "role labels of nodes have one", class: class("dc1", map[string]string{"node-role.kubernetes.io/worker": ""})},
		{name: "sixteen pairs are good", class: class("dc1", pairs(16))},
		{name: "seventeen are too many", class: class("dc1", pairs(17)), want: []string{"spec.nodeSelector"}},
		{name: "no selector at all is no class", reason: "it would name every node", class: class("dc1", nil), want: []string{"spec"}},
		{name: "a name of 63 characters is good", class: class(strings.Repeat("a", 63), pairs(1))},
		{name: "a name of 64 is too long for a label value", class: class(strings.Repeat("a", 64), pairs(1)), want: []string{"metadata.name"}},
		{name: "a name with a dot is no DNS label", class: class("dc1.eu", pairs(1)), want: []string{"metadata.name"}},
		{
			name:  "bad keys and values are named one by one, in the order of the keys",
			class: class("dc1", map[string]string{"z/": "v", "a b": "v", "k": "-"}),
			want:  []string{"spec.nodeSelector[a b]", "spec.nodeSelector[k]", "spec.nodeSelector[z/]"},
		},
		{name: "Audit is an action", class: acting(v1alpha1.Audit)},
		{name: "an action in small letters is none", class: acting("warn"), want: []string{"spec.enforcementAction"}},
		{name: "a description is counted in characters, not bytes", class: described(256)},
		{name: "a description of 257 characters is too long", class: described(257), want: []string{"spec.description"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, err := range v1alpha1.Validate(test.class) {
				got = append(got, err.Field)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("fields that break a rule (-want +got); %s:\n%s", test.reason, diff)
			}
		})
	}
}

func TestValidateUpdateHoldsTheSelectorFast(t *testing.T) {
	old := class("dc1", map[string]string{"zone": "dc1"})
	tests := []struct {
		name    string
		was     *v1alpha1.AffinityClass // old, where it is nil
		updated *v1alpha1.AffinityClass
		want    int
	}{
		{name: "the same object again is good", updated: old.DeepCopy()},
		{name: "another value is refused", updated: class("dc1", map[string]string{"zone": "dc2"}), want: 1},
		{name: "one more pair is refused", updated: class("dc1", map[string]string{"zone": "dc1", "gpu": "yes"}), want: 1},
		{name: "a selector taken away is missing and changed", updated: class("dc1", nil), want: 2},
		{name: "terms added are a change", updated: termed(map[string]string{"zone": "dc1"}, exists("gpu")), want: 1},
		{name: "the same terms are no change", was: termed(nil, requires("zone", "In", "a", "b")), updated: termed(nil, requires("zone", "In", "a", "b"))},
		{name: "values in another order are a change", was: termed(nil, requires("zone", "In", "a", "b")), updated: termed(nil, requires("zone", "In", "b", "a")), want: 1},
		{name: "another operator is a change", was: termed(nil, requires("zone", "In", "a")), updated: termed(nil, requires("zone", "NotIn", "a")), want: 1},
		{name: "another node is a change", was: named("n1"), updated: named("n2"), want: 1},
		{name: "terms in place of the pairs are a change of both", updated: termed(nil, exists("zone")), want: 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			was := test.was
			if was == nil {
				was = old
			}
			if got := v1alpha1.ValidateUpdate(test.updated, was); len(got) != test.want {
				t.Errorf("ValidateUpdate says %v, want %d errors", got, test.want)
			}
		})
	}
}
