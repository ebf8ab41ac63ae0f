package v1alpha1_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func termed(selector map[string]string, requirements ...v1alpha1.NodeSelectorRequirement) *v1alpha1.AffinityClass {
	c := class("dc12", selector)
	c.Spec.NodeSelectorTerms = []v1alpha1.NodeSelectorTerm{{MatchExpressions: requirements}}
	return c
}

func exists(key string) v1alpha1.NodeSelectorRequirement {
	return requires(key, corev1.NodeSelectorOpExists)
}

func requires(key string, operator corev1.NodeSelectorOperator, values ...string) v1alpha1.NodeSelectorRequirement {
	return v1alpha1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

func named(node string) *v1alpha1.AffinityClass {
	c := class("dc12", nil)
	one := v1alpha1.NodeFieldRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
	c.Spec.NodeSelectorTerms = []v1alpha1.NodeSelectorTerm{{MatchFields: []v1alpha1.NodeFieldRequirement{one}}}
	return c
}

func tolerating(tolerations ...v1alpha1.Toleration) *v1alpha1.AffinityClass {
	c := class("gpu", pairs(1))
	c.Spec.Tolerations = tolerations
	return c
}

func TestValidateReadsTermsAsTheSchedulerDoes(t *testing.T) {
	const at = "spec.nodeSelectorTerms[0].matchExpressions[0]"
	tests := []struct {
		name   string
		reason string
		class  *v1alpha1.AffinityClass
		want   []string
	}{
		{name: "terms alone make a class", class: termed(nil, requires("zone", "In", "dc1", "dc2"))},
		{name: "a term without requirements is refused", reason: "it matches no node", class: termed(nil), want: []string{"spec.nodeSelectorTerms[0]"}},
		{name: "In needs a value", class: termed(nil, requires("zone", "In")), want: []string{at + ".values"}},
		{name: "Exists takes none", class: termed(nil, requires("zone", "Exists", "dc1")), want: []string{at + ".values"}},
		{name: "Gt reads leading zeros", class: termed(nil, requires("cores", "Gt", "008"))},
		{name: "Gt takes the largest integer", class: termed(nil, requires("cores", "Gt", "9223372036854775807"))},
		{name: "Gt takes none that is larger", class: termed(nil, requires("cores", "Gt", "9223372036854775808")), want: []string{at + ".values"}},
		{name: "Lt takes one value", class: termed(nil, requires("cores", "Lt", "1", "2")), want: []string{at + ".values"}},
		{name: "a sign makes no label value", class: termed(nil, requires("cores", "Lt", "-1")), want: []string{at + ".values[0]"}},
		{name: "an operator in small letters is none", class: termed(nil, requires("zone", "in", "dc1")), want: []string{at + ".operator"}},
		{name: "a key is a label key", class: termed(nil, exists("a b")), want: []string{at + ".key"}},
		{name: "seventeen values are too many", class: termed(nil, requires("zone", "In", slices.Repeat([]string{"v"}, 17)...)), want: []string{at + ".values"}},
		{name: "seventeen requirements are too many", class: termed(nil, slices.Repeat([]v1alpha1.NodeSelectorRequirement{exists("k")}, 17)...), want: []string{"spec.nodeSelectorTerms[0].matchExpressions"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, fields(test.class)); diff != "" {
				t.Errorf("fields that break a rule (-want +got); %s:\n%s", test.reason, diff)
			}
		})
	}
}

func TestValidateReadsTolerationsAsAPodsAre(t *testing.T) {
	second := int64(1)
	tests := []struct {
		name string
		one  v1alpha1.Toleration
		want []string
	}{
		{name: "Equal is meant where no operator is", one: v1alpha1.Toleration{Key: "gpu", Value: "yes", Effect: "NoSchedule"}},
		{name: "Exists without a key tolerates everything", one: v1alpha1.Toleration{Operator: "Exists"}},
		{name: "without a key it must be Exists", one: v1alpha1.Toleration{Value: "yes"}, want: []string{"operator"}},
		{name: "Exists takes no value", one: v1alpha1.Toleration{Key: "gpu", Operator: "Exists", Value: "yes"}, want: []string{"value"}},
		{name: "comparisons are not known to every cluster", one: v1alpha1.Toleration{Key: "gpu", Operator: "Gt", Value: "1"}, want: []string{"operator"}},
		{name: "an effect is one of three", one: v1alpha1.Toleration{Key: "gpu", Effect: "Evict"}, want: []string{"effect"}},
		{name: "seconds go with NoExecute", one: v1alpha1.Toleration{Key: "gpu", Effect: "NoExecute", TolerationSeconds: &second}},
		{name: "seconds go with nothing else", one: v1alpha1.Toleration{Key: "gpu", TolerationSeconds: &second}, want: []string{"effect"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var want []string
			for _, name := range test.want {
				want = append(want, "spec.tolerations[0]."+name)
			}
			if diff := cmp.Diff(want, fields(tolerating(test.one))); diff != "" {
				t.Errorf("fields that break a rule (-want +got):\n%s", diff)
			}
		})
	}
}

func fields(class *v1alpha1.AffinityClass) []string {
	var all []string
	for _, err := range v1alpha1.Validate(class) {
		all = append(all, err.Field)
	}
	return all
}

// Whoever knows the core types knows ours: they are written the same.
func TestTheCoreTypesReadWhatOursWrite(t *testing.T) {
	class := termed(nil, requires("zone", "In", "dc1"), exists("gpu"))
	class.Spec.NodeSelectorTerms[0].MatchFields = []v1alpha1.NodeFieldRequirement{{Key: "metadata.name", Operator: "NotIn", Values: []string{"n1"}}}
	second := int64(1)
	class.Spec.Tolerations = []v1alpha1.Toleration{{Key: "gpu", Operator: "Equal", Value: "yes", Effect: "NoExecute", TolerationSeconds: &second}}
	written, err := json.Marshal(class.Spec)
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		NodeSelectorTerms []corev1.NodeSelectorTerm
		Tolerations       []corev1.Toleration
	}
	decoder := json.NewDecoder(strings.NewReader(string(written)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&corev1.NodeSelector{NodeSelectorTerms: want.NodeSelectorTerms}, class.Spec.NodeSelectorCore()); diff != "" {
		t.Errorf("terms (-read +converted):\n%s", diff)
	}
	if diff := cmp.Diff(want.Tolerations, []corev1.Toleration{corev1.Toleration(class.Spec.Tolerations[0])}); diff != "" {
		t.Errorf("tolerations (-read +written):\n%s", diff)
	}
}

func TestAClassWithoutTermsHasNoCoreSelector(t *testing.T) {
	if got := class("dc1", pairs(1)).Spec.NodeSelectorCore(); got != nil {
		t.Errorf("got %v: a NodeSelector without terms matches nothing", got)
	}
}
