package binaryaffinity

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// missing is the part of a value that no term of the affinity translates.
func missing(v Value, affinity *v1.Affinity) Value {
	there := present(v, affinity)
	var out Value
	for _, word := range Words() {
		for _, tag := range v.Tags(word) {
			if !slices.Contains(there.Tags(word), tag) {
				*out.list(word) = append(*out.list(word), tag)
			}
		}
	}
	return out
}

// present is the part of a value that the affinity translates already.
func present(v Value, affinity *v1.Affinity) (out Value) {
	if affinity == nil {
		return out
	}
	if with := affinity.PodAffinity; with != nil {
		out.RequireWith = v.requiredIn(RequireWith, with.RequiredDuringSchedulingIgnoredDuringExecution)
		out.PreferWith = v.preferredIn(PreferWith, with.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if without := affinity.PodAntiAffinity; without != nil {
		out.RequireWithout = v.requiredIn(RequireWithout, without.RequiredDuringSchedulingIgnoredDuringExecution)
		out.PreferWithout = v.preferredIn(PreferWithout, without.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return out
}

func (v Value) requiredIn(word Word, terms []v1.PodAffinityTerm) (tags []string) {
	for i := range terms {
		if v.Own(word, &terms[i]) {
			tags = append(tags, tagOf(&terms[i]))
		}
	}
	return tags
}

func (v Value) preferredIn(word Word, terms []v1.WeightedPodAffinityTerm) (tags []string) {
	for i := range terms {
		if v.OwnPreferred(word, &terms[i]) {
			tags = append(tags, tagOf(&terms[i].PodAffinityTerm))
		}
	}
	return tags
}
