package binaryaffinity

import (
	v1 "k8s.io/api/core/v1"
)

// Terms are native terms to append to a Pod's own, by the list they belong to.
type Terms struct {
	RequiredAffinity      []v1.PodAffinityTerm
	RequiredAntiAffinity  []v1.PodAffinityTerm
	PreferredAffinity     []v1.WeightedPodAffinityTerm
	PreferredAntiAffinity []v1.WeightedPodAffinityTerm
}

// Empty says that there is nothing to append.
func (t Terms) Empty() bool {
	return len(t.RequiredAffinity)+len(t.RequiredAntiAffinity)+len(t.PreferredAffinity)+len(t.PreferredAntiAffinity) == 0
}

// Translate is what a Pod with this affinity, which may be nil, lacks of its
// value's translation. A Pod that has been given it lacks nothing, in whatever
// order its terms have come to stand; so asking again appends nothing twice.
func Translate(v Value, affinity *v1.Affinity) Terms {
	missing := missing(v, affinity)
	return Terms{
		RequiredAffinity:      required(missing.RequireWith),
		RequiredAntiAffinity:  required(missing.RequireWithout),
		PreferredAffinity:     preferred(missing.PreferWith),
		PreferredAntiAffinity: preferred(missing.PreferWithout),
	}
}

// Missing is the part of the value's requirements that a final Pod does not bear
// as required terms. Where it is not empty, nobody would enforce it.
func Missing(v Value, affinity *v1.Affinity) Value {
	missing := missing(v, affinity)
	return Value{RequireWith: missing.RequireWith, RequireWithout: missing.RequireWithout}
}

// Bound is the part of the value's requirements that a Pod bears as required terms:
// what kube-scheduler holds it to, whatever its annotation has come to say.
func Bound(v Value, affinity *v1.Affinity) Value {
	there := present(v, affinity)
	return Value{RequireWith: there.RequireWith, RequireWithout: there.RequireWithout}.normal()
}

// Append adds the terms to an affinity, which may be nil and is not changed, the
// way a patch does: after what is there.
func (t Terms) Append(affinity *v1.Affinity) *v1.Affinity {
	if t.Empty() {
		return affinity
	}
	out := affinity.DeepCopy()
	if out == nil {
		out = &v1.Affinity{}
	}
	if len(t.RequiredAffinity)+len(t.PreferredAffinity) > 0 {
		if out.PodAffinity == nil {
			out.PodAffinity = &v1.PodAffinity{}
		}
		add(&out.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, t.RequiredAffinity)
		add(&out.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, t.PreferredAffinity)
	}
	if len(t.RequiredAntiAffinity)+len(t.PreferredAntiAffinity) > 0 {
		if out.PodAntiAffinity == nil {
			out.PodAntiAffinity = &v1.PodAntiAffinity{}
		}
		add(&out.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, t.RequiredAntiAffinity)
		add(&out.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, t.PreferredAntiAffinity)
	}
	return out
}

func add[T any](list *[]T, more []T) { *list = append(*list, more...) }

func required(tags []string) (terms []v1.PodAffinityTerm) {
	for _, tag := range tags {
		terms = append(terms, term(tag))
	}
	return terms
}

func preferred(tags []string) (terms []v1.WeightedPodAffinityTerm) {
	for _, tag := range tags {
		terms = append(terms, v1.WeightedPodAffinityTerm{Weight: PreferredWeight, PodAffinityTerm: term(tag)})
	}
	return terms
}
