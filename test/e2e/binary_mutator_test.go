package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

const spread = `{"require_without_tag":["a","b","c"],"prefer_without_tag":["d","e"]}`

// keysOf are the keys that the terms of a Pod's anti-affinity select, in their order.
func keysOf(pod *corev1.Pod) (keys []string) {
	anti := pod.Spec.Affinity.PodAntiAffinity
	for _, term := range anti.RequiredDuringSchedulingIgnoredDuringExecution {
		keys = append(keys, strings.TrimPrefix(term.LabelSelector.MatchExpressions[0].Key, binaryaffinity.TagPrefix))
	}
	for _, term := range anti.PreferredDuringSchedulingIgnoredDuringExecution {
		keys = append(keys, strings.TrimPrefix(term.PodAffinityTerm.LabelSelector.MatchExpressions[0].Key, binaryaffinity.TagPrefix))
	}
	return keys
}

// ownTerm is what a Pod has of its own.
func ownTerm() corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{TopologyKey: zone, LabelSelector: &metav1.LabelSelector{
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "own", Operator: metav1.LabelSelectorOpExists}}}}
}

// Another webhook turns the lists round after ours, so the API server asks ours again:
// it finds its terms wherever they stand.
func TestTermsThatAnotherWebhookReordersAreNotAddedTwice(t *testing.T) {
	space := governed(t, "reordered")
	meddled := meddler{space, registrationv1.IfNeededReinvocationPolicy, reverse}.start(t)
	eventually(t, func() error {
		pod := asking(space, "web", spread)
		pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{ownTerm()}}}
		if err := world.Client.Create(t.Context(), pod, client.DryRunAll); err != nil {
			return err
		}
		if err := meddled(); err != nil {
			return err
		}
		if diff := cmp.Diff([]string{"c", "b", "a", "own", "e", "d"}, keysOf(pod)); diff != "" {
			t.Errorf("the terms, wanted (-), got (+):\n%s", diff)
		}
		return nil
	})
}

// reverse turns both lists round, unless they begin with the last tag already.
func reverse(pod *corev1.Pod) []map[string]any {
	anti := pod.Spec.Affinity.PodAntiAffinity.DeepCopy()
	if keysOf(pod)[0] == "c" {
		return nil
	}
	slices.Reverse(anti.RequiredDuringSchedulingIgnoredDuringExecution)
	slices.Reverse(anti.PreferredDuringSchedulingIgnoredDuringExecution)
	return []map[string]any{{"op": "replace", "path": "/spec/affinity/podAntiAffinity", "value": anti}}
}

func strip(pod *corev1.Pod) []map[string]any {
	if pod.Spec.Affinity == nil {
		return nil
	}
	return []map[string]any{{"op": "remove", "path": "/spec/affinity"}}
}

func TestTermsThatAnotherWebhookTakesAwayAreAddedAgain(t *testing.T) {
	space := governed(t, "stripped-once")
	meddled := meddler{space, registrationv1.NeverReinvocationPolicy, strip}.start(t)
	eventually(t, func() error {
		pod := asking(space, "web", spread)
		if err := world.Client.Create(t.Context(), pod, client.DryRunAll); err != nil {
			return err
		}
		if err := meddled(); err != nil {
			return err
		}
		if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, keysOf(pod)); diff != "" {
			t.Errorf("the terms, wanted (-), got (+):\n%s", diff)
		}
		return nil
	})
}

// One that has the last word gets no Pod in that requires something, not even where
// broken contracts are only recorded; and others are none of our business.
func TestAPodWithoutTheTermsThatItRequiresIsRefused(t *testing.T) {
	space := namespace(t, "stripped", map[string]string{enforce: "audit"})
	meddled := meddler{space, registrationv1.IfNeededReinvocationPolicy, strip}.start(t)
	pod := asking(space, "web", spread)
	eventually(t, func() error {
		err := world.Client.Create(t.Context(), pod.DeepCopy(), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "lacks the terms that would enforce") {
			return fmt.Errorf("the Pod is answered %v", err)
		}
		return meddled()
	})
	if err := world.Client.Create(t.Context(), asking(space, "free", `{"prefer_with_tag":["a"]}`), client.DryRunAll); err != nil {
		t.Errorf("a Pod that only prefers: %v", err)
	}
}
