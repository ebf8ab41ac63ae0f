package conformance_test

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (d *drawer) key() string { return pick(d, v1.LabelHostname, v1.LabelTopologyZone, "rack") }

// nodes draws what the Pod asks of its node.
func (d *drawer) nodes(p *v1.Pod) {
	if d.once(5) {
		p.Spec.NodeSelector = map[string]string{"rack": pick(d, "0", "1")}
	}
	if !d.often(6) {
		return
	}
	required := &v1.NodeSelector{}
	for range d.IntN(3) {
		required.NodeSelectorTerms = append(required.NodeSelectorTerms, d.nodeTerm())
	}
	p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
}

func (d *drawer) nodeTerm() v1.NodeSelectorTerm {
	var term v1.NodeSelectorTerm
	for range d.IntN(2) + 1 {
		r := v1.NodeSelectorRequirement{Key: pick(d, "rack", "num", v1.LabelTopologyZone), Operator: pick(d,
			v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist,
			v1.NodeSelectorOpGt, v1.NodeSelectorOpLt)}
		switch r.Operator {
		case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn:
			r.Values = []string{pick(d, "0", "1", "z")}
		case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
			r.Key, r.Values = "num", []string{pick(d, "1", "2", "x")}
		}
		term.MatchExpressions = append(term.MatchExpressions, r)
	}
	if d.once(3) {
		term.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name",
			Operator: pick(d, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn),
			Values:   []string{"node" + strconv.Itoa(d.IntN(4))}}}
	}
	return term
}

// neighbours draws which Pods this one wants near, and which not.
func (d *drawer) neighbours(p *v1.Pod) {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &v1.Affinity{}
	}
	if d.once(2) {
		p.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: d.terms(p)}
	}
	if d.once(3) {
		p.Spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: d.terms(p)}
	}
}

func (d *drawer) terms(p *v1.Pod) []v1.PodAffinityTerm {
	var terms []v1.PodAffinityTerm
	for range 1 + d.IntN(2) {
		terms = append(terms, d.term(p))
	}
	return terms
}

func (d *drawer) term(p *v1.Pod) v1.PodAffinityTerm {
	t := v1.PodAffinityTerm{LabelSelector: d.selector(), TopologyKey: d.key()}
	if d.once(3) {
		t.Namespaces = []string{pick(d, "n1", "n2", "n3")}
		if d.once(2) { // which may be the same one again
			t.Namespaces = append(t.Namespaces, pick(d, "n1", "n2", "n3"))
		}
	}
	if d.once(3) {
		t.NamespaceSelector = pick(d, &metav1.LabelSelector{},
			&metav1.LabelSelector{MatchLabels: map[string]string{"team": pick(d, "x", "y")}},
			&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "team", Operator: metav1.LabelSelectorOpNotIn, Values: []string{"x"}}}})
	}
	if d.once(4) && t.LabelSelector != nil {
		t.MatchLabelKeys = merged(t.LabelSelector, metav1.LabelSelectorOpIn, p.Labels)
	} else if d.once(4) && t.LabelSelector != nil {
		t.MismatchLabelKeys = merged(t.LabelSelector, metav1.LabelSelectorOpNotIn, p.Labels)
	}
	return t
}

// merged adds to the selector what the API server makes of label keys when it
// stores a Pod, and returns the keys.
func merged(s *metav1.LabelSelector, op metav1.LabelSelectorOperator, labels map[string]string) []string {
	if value, found := labels["rev"]; found {
		s.MatchExpressions = append(s.MatchExpressions,
			metav1.LabelSelectorRequirement{Key: "rev", Operator: op, Values: []string{value}})
	}
	return []string{"rev"}
}

func (d *drawer) selector() *metav1.LabelSelector {
	expression := func(op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: pick(d, "app", "rev"), Operator: op, Values: values}}}
	}
	switch d.IntN(9) {
	case 0:
		return nil
	case 1:
		return &metav1.LabelSelector{}
	case 2:
		return expression(pick(d, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist))
	case 3:
		return expression(pick(d, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn), pick(d, "a", "b"), "c")
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{pick(d, "app", "rev", "tier"): pick(d, "a", "b", "c")}}
}

func (d *drawer) constraint(p *v1.Pod) v1.TopologySpreadConstraint {
	c := v1.TopologySpreadConstraint{TopologyKey: d.key(), MaxSkew: int32(1 + d.IntN(2)), LabelSelector: d.selector(),
		WhenUnsatisfiable: pick(d, v1.DoNotSchedule, v1.DoNotSchedule, v1.ScheduleAnyway)}
	if d.once(3) {
		c.MinDomains = new(int32(1 + d.IntN(4)))
	}
	if d.once(2) {
		c.NodeAffinityPolicy = new(pick(d, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
	}
	if d.once(2) {
		c.NodeTaintsPolicy = new(pick(d, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
	}
	switch {
	case d.once(5): // as stored by an API server that does not merge
		c.MatchLabelKeys = []string{"rev", "absent"}
	case d.once(5) && c.LabelSelector != nil:
		c.MatchLabelKeys = merged(c.LabelSelector, metav1.LabelSelectorOpIn, p.Labels)
	}
	return c
}
