package affinityclass

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Scheduling is what a chart is given of a class, under _scheduling in the values
// of its release. Its JSON has every key always: values from elsewhere are merged
// underneath it, and a key left out would let theirs through.
type Scheduling struct {
	AffinityClass string            `json:"affinityClass"`
	NodeSelector  map[string]string `json:"nodeSelector"` // empty for a class that has only terms
	// NodeAffinity is the whole contract, for resources that have no nodeSelector.
	NodeAffinity NodeAffinity          `json:"nodeAffinity"`
	Tolerations  []v1alpha1.Toleration `json:"tolerations"`
}

// Scheduling is what charts are given of the class; it shares memory with the class
// and is not to be changed.
func (c *Class) Scheduling() Scheduling { return c.scheduling }

func (c *Class) compileScheduling(spec *v1alpha1.AffinityClassSpec) Scheduling {
	s := Scheduling{
		AffinityClass: c.name, NodeSelector: c.labels(),
		NodeAffinity: NodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: c.contract()}},
		Tolerations:  slices.Clone(spec.Tolerations),
	}
	if s.Tolerations == nil {
		s.Tolerations = []v1alpha1.Toleration{}
	}
	return s
}

// contract is the class as the terms of one node selector: each of its own, or
// none, with every pair.
func (c *Class) contract() []corev1.NodeSelectorTerm {
	var pairs []corev1.NodeSelectorRequirement
	for _, p := range c.pairs {
		pairs = append(pairs, corev1.NodeSelectorRequirement{Key: p.key, Operator: corev1.NodeSelectorOpIn, Values: []string{p.value}})
	}
	if c.selector == nil {
		return []corev1.NodeSelectorTerm{{MatchExpressions: pairs}}
	}
	var terms []corev1.NodeSelectorTerm
	for _, term := range c.selector.NodeSelectorTerms {
		if len(term.MatchExpressions) == 0 && len(term.MatchFields) == 0 {
			continue // it matches nothing, and with the pairs it would
		}
		terms = append(terms, corev1.NodeSelectorTerm{
			MatchExpressions: slices.Concat(pairs, term.MatchExpressions), MatchFields: slices.Clone(term.MatchFields),
		})
	}
	return terms
}
