package affinityclass_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func compiled(t *testing.T, name string, spec v1alpha1.AffinityClassSpec) *affinityclass.Class {
	t.Helper()
	class := &v1alpha1.AffinityClass{Spec: spec}
	class.Name = name
	c, err := affinityclass.Compile(class)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func zones(values ...string) affinityclass.Constraints {
	selector := &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: values}}}}}
	return affinityclass.Constraints{Affinity: &affinityclass.Affinity{NodeAffinity: &affinityclass.NodeAffinity{Required: selector}}}
}

func TestAFenceHoldsTheUnionOfItsClasses(t *testing.T) {
	dc1 := compiled(t, "dc1", v1alpha1.AffinityClassSpec{NodeSelector: map[string]string{"zone": "dc1"}})
	either := compiled(t, "either", v1alpha1.AffinityClassSpec{NodeSelectorTerms: []v1alpha1.NodeSelectorTerm{{MatchExpressions: []v1alpha1.NodeSelectorRequirement{
		{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"dc2", "dc3"}}}}}})
	fence := affinityclass.NewFence([]string{"dc1", "either", "gone"}, []*affinityclass.Class{dc1, either})
	for _, tt := range []struct {
		name    string
		pod     affinityclass.Constraints
		outside string
	}{
		{"in one class, by its selector", affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1"}}, ""},
		{"in the other, by its affinity", zones("dc3"), ""},
		{"in both, and in neither alone", zones("dc1", "dc2"), ""},
		{"in one and outside", zones("dc1", "dc4"), `a node with zone=dc4 would be accepted by the Pod but is in none of the allowed classes: "dc1", "either", "gone"`},
		{"anywhere", affinityclass.Constraints{}, "a node with no labels"},
	} {
		v, outside := fence.Check(tt.pod)
		if outside != (tt.outside != "") || !strings.Contains(v.Message, tt.outside) {
			t.Errorf("%s: got %v %q", tt.name, outside, v.Message)
		}
	}
}

func TestAFenceOfNoClassHoldsNothing(t *testing.T) {
	pod := affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1"}}
	for name, fence := range map[string]affinityclass.Fence{
		"of no list": {}, "of none": affinityclass.NewFence(nil, nil), "of classes that do not exist": affinityclass.NewFence([]string{"gone"}, nil),
	} {
		if _, outside := fence.Check(pod); !outside {
			t.Errorf("a fence %s lets a Pod through", name)
		}
	}
}

func TestAPlainPodInsideAFenceCostsNoAllocation(t *testing.T) {
	dc1 := compiled(t, "dc1", v1alpha1.AffinityClassSpec{NodeSelector: map[string]string{"zone": "dc1"}})
	fence := affinityclass.NewFence([]string{"dc1"}, []*affinityclass.Class{dc1})
	pod := affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1"}}
	if n := testing.AllocsPerRun(100, func() { fence.Check(pod) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSchedulingSaysTheWholeContract(t *testing.T) {
	class := compiled(t, "both", v1alpha1.AffinityClassSpec{
		NodeSelector: map[string]string{"disk": "ssd"},
		NodeSelectorTerms: []v1alpha1.NodeSelectorTerm{
			{MatchExpressions: []v1alpha1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"dc1"}}}},
			{MatchExpressions: []v1alpha1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{"dc2"}}}},
		},
	})
	given := class.Scheduling()
	pod := affinityclass.Constraints{Affinity: &affinityclass.Affinity{NodeAffinity: &given.NodeAffinity}}
	if broken := class.Check(pod); len(broken) > 0 {
		t.Errorf("its affinity alone does not keep the class: %v", broken)
	}
	if len(given.NodeSelector) != 1 || given.Tolerations == nil {
		t.Errorf("a key would be left out: %+v", given)
	}
}
