package envtest

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// with is a good class with these terms and no pairs.
func with(terms ...v1alpha1.NodeSelectorTerm) *v1alpha1.AffinityClass {
	c := class("dc12", nil)
	c.Spec.NodeSelectorTerms = terms
	return c
}

func term(requirements ...v1alpha1.NodeSelectorRequirement) v1alpha1.NodeSelectorTerm {
	return v1alpha1.NodeSelectorTerm{MatchExpressions: requirements}
}

func requires(key string, operator corev1.NodeSelectorOperator, values ...string) v1alpha1.NodeSelectorRequirement {
	return v1alpha1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

// node is a class of one requirement on the name of a node.
func node(key string, operator corev1.NodeSelectorOperator, names ...string) *v1alpha1.AffinityClass {
	one := v1alpha1.NodeFieldRequirement{Key: key, Operator: operator, Values: names}
	return with(v1alpha1.NodeSelectorTerm{MatchFields: []v1alpha1.NodeFieldRequirement{one}})
}

func TestTheAPIServerAndValidateSayTheSameOfTerms(t *testing.T) {
	one := func(operator corev1.NodeSelectorOperator, values ...string) *v1alpha1.AffinityClass {
		return with(term(requires("k", operator, values...)))
	}
	const (
		integer  = "Gt and Lt need exactly one value: a decimal integer of 64 bits"
		noLabel  = "every value must be a label value"
		largest  = "9223372036854775807"
		tooLarge = "9223372036854775808"
	)
	padding := zeros[len(largest):]
	tests := []verdict{
		{name: "every operator", object: with(term(requires("a", "In", "1", ""), requires("b", "NotIn", "2"), requires("c", "Exists"),
			requires("d", "DoesNotExist"), requires("e", "Gt", "3"), requires("f", "Lt", "4")))},
		{name: "an empty term", object: with(term()), refused: "a term needs a requirement"},
		{name: "an empty term among others", object: with(term(requires("k", "Exists")), term()), refused: "spec.nodeSelectorTerms[1]"},
		{name: "no operator", object: one(""), refused: "matchExpressions[0].operator: Unsupported value"},
		{name: "an unknown operator", object: one("Equals", "v"), refused: "matchExpressions[0].operator: Unsupported value"},
		{name: "In of nothing", object: one("In"), refused: "In and NotIn need a value"},
		{name: "NotIn of nothing", object: one("NotIn"), refused: "In and NotIn need a value"},
		{name: "Exists with a value", object: one("Exists", "v"), refused: "Exists and DoesNotExist take no value"},
		{name: "DoesNotExist with an empty value", object: one("DoesNotExist", ""), refused: "Exists and DoesNotExist take no value"},
		{name: "Gt of nothing", object: one("Gt"), refused: integer},
		{name: "Gt of two", object: one("Gt", "1", "2"), refused: integer},
		{name: "Gt of the empty value", object: one("Gt", ""), refused: integer},
		{name: "Gt of a word", object: one("Gt", "a1"), refused: integer},
		{name: "Lt of a number with an underscore", object: one("Lt", "1_000"), refused: integer},
		{name: "Lt of a hexadecimal number", object: one("Lt", "0x1"), refused: integer},
		{name: "Lt of a fraction", object: one("Lt", "1.5"), refused: integer},
		{name: "Lt of a negative number", object: one("Lt", "-1"), refused: noLabel},
		{name: "Gt of zeros", object: one("Gt", "000")},
		{name: "Gt of the largest integer", object: one("Gt", largest)},
		{name: "Gt of the largest integer, written as long as may be", object: one("Gt", padding+largest)},
		{name: "Gt of one more", object: one("Gt", tooLarge), refused: integer},
		{name: "Gt of one more, written as long as may be", object: one("Gt", padding+tooLarge), refused: integer},
		{name: "Gt of a number of 20 digits", object: one("Gt", "1"+largest), refused: integer},
		{name: "a value with a space", object: one("In", "a b"), refused: noLabel},
		{name: "a key with a space", object: with(term(requires("a b", "Exists"))), refused: "every key must be a label key"},
		{name: "an empty key", object: with(term(requires("", "Exists"))), refused: "every key must be a label key"},
		{name: "a key of 318 characters", object: with(term(requires(subdomain(254)+"/"+strings.Repeat("k", 63), "Exists"))), refused: "may not be more than 317"},
		{name: "the name of a node", object: node("metadata.name", "In", "n1.example.org")},
		{name: "all nodes but one", object: node("metadata.name", "NotIn", "n1")},
		{name: "the names of two nodes", object: node("metadata.name", "In", "n1", "n2"), refused: "must have at most 1 item"},
		{name: "the name of no node", object: node("metadata.name", "In"), refused: "matchFields[0].values"},
		{name: "the empty name", object: node("metadata.name", "NotIn", ""), refused: "the name of a node must be a DNS subdomain"},
		{name: "a name that no node can have", object: node("metadata.name", "In", "N_1"), refused: "the name of a node must be a DNS subdomain"},
		{name: "a name that exists", object: node("metadata.name", "Exists"), refused: "matchFields[0].operator: Unsupported value"},
		{name: "another field", object: node("spec.unschedulable", "In", "n1"), refused: "matchFields[0].key: Unsupported value"},
	}
	c := admin(t)
	for _, test := range tests {
		test.check(t, c)
	}
}

func TestTheAPIServerAndValidateSayTheSameOfTolerations(t *testing.T) {
	second := int64(1)
	tests := []struct {
		name    string
		one     v1alpha1.Toleration
		refused string
	}{
		{name: "Equal by omission", one: v1alpha1.Toleration{Key: "gpu", Value: "yes", Effect: "NoSchedule"}},
		{name: "everything", one: v1alpha1.Toleration{Operator: "Exists"}},
		{name: "nothing at all", refused: "its operator must be Exists"},
		{name: "Equal without a key", one: v1alpha1.Toleration{Operator: "Equal", Value: "v"}, refused: "its operator must be Exists"},
		{name: "Exists with a value", one: v1alpha1.Toleration{Key: "k", Operator: "Exists", Value: "v"}, refused: "Exists takes no value"},
		{name: "a comparison", one: v1alpha1.Toleration{Key: "k", Operator: "Lt", Value: "1"}, refused: "operator: Unsupported value"},
		{name: "an unknown effect", one: v1alpha1.Toleration{Key: "k", Effect: "Evict"}, refused: "effect: Unsupported value"},
		{name: "a key with a space", one: v1alpha1.Toleration{Key: "a b"}, refused: "every key must be a label key"},
		{name: "a value with a space", one: v1alpha1.Toleration{Key: "k", Value: "a b"}, refused: "every value must be a label value"},
		{name: "seconds with NoExecute", one: v1alpha1.Toleration{Key: "k", Effect: "NoExecute", TolerationSeconds: &second}},
		{name: "seconds with every effect", one: v1alpha1.Toleration{Key: "k", TolerationSeconds: &second}, refused: "tolerationSeconds needs the effect NoExecute"},
		{name: "seconds with NoSchedule", one: v1alpha1.Toleration{Key: "k", Effect: "NoSchedule", TolerationSeconds: &second}, refused: "tolerationSeconds needs the effect NoExecute"},
	}
	c := admin(t)
	for _, test := range tests {
		tolerant := class("gpu", pairs(1))
		tolerant.Spec.Tolerations = slices.Repeat([]v1alpha1.Toleration{test.one}, 2)
		verdict{test.name, tolerant, test.refused}.check(t, c)
	}
}
