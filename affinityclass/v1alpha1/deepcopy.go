package v1alpha1

import "maps"

// The copies below are written by hand because the generator does not know maps
// of an alias such as LabelValue.

// DeepCopyInto copies the spec into out.
func (s *AffinityClassSpec) DeepCopyInto(out *AffinityClassSpec) {
	*out = *s
	out.NodeSelector = maps.Clone(s.NodeSelector)
	out.NodeSelectorTerms = deepCopies[NodeSelectorTerm](s.NodeSelectorTerms)
	out.Tolerations = deepCopies[Toleration](s.Tolerations)
}

// DeepCopyInto copies the selector into out.
func (s *PodSelector) DeepCopyInto(out *PodSelector) {
	*out = *s
	out.MatchLabels = maps.Clone(s.MatchLabels)
	out.MatchExpressions = deepCopies[PodSelectorRequirement](s.MatchExpressions)
}

// deepCopier is a pointer to T that copies what it points to.
type deepCopier[T any] interface {
	*T
	DeepCopyInto(out *T)
}

func deepCopies[T any, P deepCopier[T]](in []T) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i := range in {
		P(&in[i]).DeepCopyInto(&out[i])
	}
	return out
}
