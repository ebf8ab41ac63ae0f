package v1alpha1

import corev1 "k8s.io/api/core/v1"

// NodeSelectorCore returns nodeSelectorTerms, and they alone, as the core type;
// nil when the class has none. The pairs of nodeSelector are not among them. The
// result shares memory with the spec and is not to be changed.
func (s *AffinityClassSpec) NodeSelectorCore() *corev1.NodeSelector {
	if len(s.NodeSelectorTerms) == 0 {
		return nil
	}
	terms := make([]corev1.NodeSelectorTerm, len(s.NodeSelectorTerms))
	for i, term := range s.NodeSelectorTerms {
		for _, requirement := range term.MatchExpressions {
			terms[i].MatchExpressions = append(terms[i].MatchExpressions, corev1.NodeSelectorRequirement(requirement))
		}
		for _, requirement := range term.MatchFields {
			terms[i].MatchFields = append(terms[i].MatchFields, corev1.NodeSelectorRequirement(requirement))
		}
	}
	return &corev1.NodeSelector{NodeSelectorTerms: terms}
}
