package placement

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mergeLabelKeys makes requirements on the Pod's own labels of matchLabelKeys and
// mismatchLabelKeys, as the API server does when a Pod is created; a Pod that is
// stored has them, by the labels that it had then.
// Source: applyMatchLabelKeysAndMismatchLabelKeys of
// k8s.io/kubernetes/pkg/registry/core/pod.
func mergeLabelKeys(pod *v1.Pod) {
	a := pod.Spec.Affinity
	if a == nil || pod.UID != "" {
		return
	}
	if a.PodAffinity != nil {
		mergeAll(a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, pod.Labels)
	}
	if a.PodAntiAffinity != nil {
		mergeAll(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, pod.Labels)
	}
}

func mergeAll(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm, of map[string]string) {
	for i := range required {
		merge(&required[i], of)
	}
	for i := range preferred {
		merge(&preferred[i].PodAffinityTerm, of)
	}
}

func merge(t *v1.PodAffinityTerm, of map[string]string) {
	if t.LabelSelector == nil {
		return
	}
	demand := func(keys []string, operator metav1.LabelSelectorOperator) {
		for _, key := range keys {
			if value, ok := of[key]; ok {
				t.LabelSelector.MatchExpressions = append(t.LabelSelector.MatchExpressions,
					metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
			}
		}
	}
	demand(t.MatchLabelKeys, metav1.LabelSelectorOpIn)
	demand(t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn)
}
