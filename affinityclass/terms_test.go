package affinityclass_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// in is a requirement; of an affinity, one term each.
func in(key string, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}
}

func affinity(requirements ...corev1.NodeSelectorRequirement) affinityclass.Constraints {
	required := &corev1.NodeSelector{}
	for _, r := range requirements {
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{r}})
	}
	return affinityclass.Constraints{Affinity: &affinityclass.Affinity{NodeAffinity: &affinityclass.NodeAffinity{Required: required}}}
}

func either(name string, zones ...string) *v1alpha1.AffinityClass {
	c := &v1alpha1.AffinityClass{}
	c.Name = name
	for _, zone := range zones {
		c.Spec.NodeSelectorTerms = append(c.Spec.NodeSelectorTerms, v1alpha1.NodeSelectorTerm{
			MatchExpressions: []v1alpha1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}}})
	}
	return c
}

func TestTheContractIsEntailmentNotText(t *testing.T) {
	dc1 := compile(t, class("dc1", map[string]string{"zone": "dc1"}))
	dc12 := compile(t, either("dc12", "dc1", "dc2"))
	tests := []struct {
		name   string
		class  *affinityclass.Class
		pod    affinityclass.Constraints
		want   []string // messages
		reason string
	}{
		{"an operator that knows only affinity keeps a class by it", dc1, affinity(in("zone", "dc1")), nil, "Strimzi and etcd have no nodeSelector"},
		{"an affinity that allows more does not", dc1, affinity(in("zone", "dc1", "dc2")),
			[]string{"nodeSelector zone=dc1 is required, not implied by affinity"}, ""},
		{"nor one of whose terms allows more", dc1, affinity(in("zone", "dc1"), in("disk", "ssd")),
			[]string{"nodeSelector zone=dc1 is required, not implied by affinity"}, "terms are ORed"},
		{"selector and affinity count together", dc12, affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc2"}, Affinity: affinity(in("disk", "ssd")).Affinity}, nil, ""},
		{"one datacenter of two is inside", dc12, affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1"}}, nil, ""},
		{"both are", dc12, affinity(in("zone", "dc2", "dc1")), nil, ""},
		{"a third one is shown", dc12, affinity(in("zone", "dc1", "dc2", "dc3")),
			[]string{`a node with zone=dc3 would be accepted by the Pod but is outside class "dc12"`}, "the witness"},
		{"no constraint at all allows a node without labels", dc12, affinityclass.Constraints{},
			[]string{`a node with no labels would be accepted by the Pod but is outside class "dc12"`}, ""},
		{"a Pod that no node can satisfy is inside everything", dc1, affinity(), nil, "no terms match nothing: it stays pending"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, violation := range tt.class.Check(tt.pod) {
				got = append(got, violation.Message)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s\n%s", tt.reason, diff)
			}
		})
	}
}

func TestAnEnormousAffinityIsStillAnswered(t *testing.T) {
	var terms []corev1.NodeSelectorRequirement
	for i := range 5000 {
		values := make([]string, 16)
		for j := range values {
			values[j] = fmt.Sprintf("v%d-%d", i, j)
		}
		terms = append(terms, in(fmt.Sprintf("k%d", i), values...))
	}
	if got := compile(t, class("dc1", map[string]string{"zone": "dc1"})).Check(affinity(terms...)); len(got) != 1 {
		t.Fatalf("got %v", got)
	}
}

func TestContradictionsOfClassesWithTerms(t *testing.T) {
	dc12, dc23, dc34 := compile(t, either("dc12", "dc1", "dc2")), compile(t, either("dc23", "dc2", "dc3")), compile(t, either("dc34", "dc3", "dc4"))
	dc1 := compile(t, class("dc1", map[string]string{"zone": "dc1"}))
	for _, tt := range []struct {
		a, b *affinityclass.Class
		want bool
	}{{dc12, dc23, false}, {dc12, dc34, true}, {dc1, dc12, false}, {dc12, dc1, false}, {dc1, dc34, true}} {
		if got := tt.a.Contradicts(tt.b); got != tt.want {
			t.Errorf("%s contradicts %s: got %v", tt.a.Name(), tt.b.Name(), got)
		}
	}
}

func TestOnceTheBudgetIsSpentNothingElseIsAsked(t *testing.T) {
	selector := map[string]string{}
	for i := range 16 {
		selector[fmt.Sprintf("key-%02d", i)] = "v"
	}
	c := compile(t, class("dc1", selector))
	// So many values that reading them alone is past the budget.
	values := make([]string, 60_000)
	for i := range values {
		values[i] = fmt.Sprintf("v%d", i)
	}
	got := c.Check(affinity(in("zone", values...)))
	if len(got) != 16 {
		t.Fatalf("got %d violations", len(got))
	}
	for _, violation := range got {
		if violation.Got != affinityclass.NotImplied {
			t.Errorf("%s: %s", violation.Key, violation.Message)
		}
	}
}
