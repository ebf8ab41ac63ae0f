package v1alpha1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func TestADeepCopySharesNothing(t *testing.T) {
	build := func() *v1alpha1.AffinityClass {
		c := termed(map[string]string{"zone": "dc1"}, requires("disk", "In", "ssd"))
		c.Spec.Tolerations = []v1alpha1.Toleration{{Key: "gpu"}}
		return c
	}
	original := build()
	changed := original.DeepCopy()
	if diff := cmp.Diff(original, changed); diff != "" {
		t.Fatalf("the copy differs:\n%s", diff)
	}
	changed.Spec.NodeSelector["zone"] = "dc2"
	changed.Spec.NodeSelectorTerms[0].MatchExpressions[0].Values[0] = "hdd"
	changed.Spec.Tolerations[0].Key = "tpu"
	if diff := cmp.Diff(build(), original); diff != "" {
		t.Errorf("changes of the copy reached the original:\n%s", diff)
	}
}

func TestADeepCopyOfAnExemptionSharesNothing(t *testing.T) {
	original := exempting("importer")
	original.Spec.PodSelector = labelled(map[string]string{"app": "importer"}, podRequires("tier", "In", "a"))
	changed := original.DeepCopy()
	changed.Spec.Usernames[0] = "other"
	changed.Spec.PodSelector.MatchLabels["app"] = "other"
	changed.Spec.PodSelector.MatchExpressions[0].Values[0] = "b"
	if got := original.Spec; got.Usernames[0] != "importer" || got.PodSelector.MatchLabels["app"] != "importer" ||
		got.PodSelector.MatchExpressions[0].Values[0] != "a" {
		t.Errorf("changes of the copy reached the original: %v", got)
	}
}
