package binaryaffinity

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PreferredWeight is the weight of each soft term. It is the greatest that the
// API allows, and the same for all: a value has no magnitudes.
const PreferredWeight = 100

// TranslatedAnnotation records on a Pod the value whose terms were added.
const TranslatedAnnotation = "affinity.cozystack.io/translated"

// term says of one tag what kube-scheduler can enforce: a Pod of the same
// namespace on the same host has the tag's label.
func term(tag string) v1.PodAffinityTerm {
	return v1.PodAffinityTerm{
		LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: TagPrefix + tag, Operator: metav1.LabelSelectorOpExists},
		}},
		TopologyKey: v1.LabelHostname,
	}
}

// tagOf reads a term back: the tag that it is the translation of, or empty for
// any other term. Whatever narrows or widens it makes it another term.
func tagOf(t *v1.PodAffinityTerm) string {
	if t.TopologyKey != v1.LabelHostname || len(t.Namespaces) > 0 || t.NamespaceSelector != nil ||
		len(t.MatchLabelKeys) > 0 || len(t.MismatchLabelKeys) > 0 {
		return ""
	}
	s := t.LabelSelector
	if s == nil || len(s.MatchLabels) > 0 || len(s.MatchExpressions) != 1 {
		return ""
	}
	e := s.MatchExpressions[0]
	tag, found := strings.CutPrefix(e.Key, TagPrefix)
	if !found || e.Operator != metav1.LabelSelectorOpExists || len(e.Values) > 0 {
		return ""
	}
	return tag
}

// Own says whether a required term, of the Pod's affinity for RequireWith and of
// its anti-affinity for RequireWithout, translates the Pod's own value. Who wrote
// it does not matter: the same term says the same.
func (v Value) Own(word Word, t *v1.PodAffinityTerm) bool {
	return (word == RequireWith || word == RequireWithout) && v.translates(word, t)
}

// OwnPreferred says the same of a preferred term, for PreferWith and
// PreferWithout.
func (v Value) OwnPreferred(word Word, t *v1.WeightedPodAffinityTerm) bool {
	return (word == PreferWith || word == PreferWithout) && t.Weight == PreferredWeight &&
		v.translates(word, &t.PodAffinityTerm)
}

func (v Value) translates(word Word, t *v1.PodAffinityTerm) bool {
	tag := tagOf(t)
	return tag != "" && slices.Contains(v.Tags(word), tag)
}
