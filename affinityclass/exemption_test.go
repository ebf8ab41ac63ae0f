package affinityclass_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func TestExemptionCovers(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	job := schema.GroupKind{Group: "batch", Kind: "Job"}
	creation := affinityclass.Creation{
		Username: "system:serviceaccount:cdi:importer", Namespace: "shop", Controller: &job, Labels: map[string]string{"app": "importer"},
	}
	at := func(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(d)} }
	tests := []struct {
		name   string
		change func(*v1alpha1.AffinityExemptionSpec)
		want   bool
		reason string
	}{
		{"the creator alone is enough", func(*v1alpha1.AffinityExemptionSpec) {}, true, ""},
		{"another creator is not", func(s *v1alpha1.AffinityExemptionSpec) { s.Usernames = []string{"jane"} }, false, ""},
		{"every ServiceAccount of a namespace", func(s *v1alpha1.AffinityExemptionSpec) { s.Usernames = []string{"system:serviceaccount:cdi:*"} }, true, ""},
		{"but not of a namespace whose name begins the same", func(s *v1alpha1.AffinityExemptionSpec) { s.Usernames = []string{"system:serviceaccount:cd:*"} }, false, ""},
		{"a star elsewhere is only a star", func(s *v1alpha1.AffinityExemptionSpec) { s.Usernames = []string{"system:serviceaccount:*"} }, false, "it would let every account through"},
		{"a namespace that is listed", func(s *v1alpha1.AffinityExemptionSpec) { s.Namespaces = []string{"web", "shop"} }, true, ""},
		{"one that is not", func(s *v1alpha1.AffinityExemptionSpec) { s.Namespaces = []string{"web"} }, false, ""},
		{"the kind of the controller", func(s *v1alpha1.AffinityExemptionSpec) {
			s.OwnerKind = &v1alpha1.OwnerKind{Group: "batch", Kind: "Job"}
		}, true, ""},
		{"a kind of that name in another group", func(s *v1alpha1.AffinityExemptionSpec) { s.OwnerKind = &v1alpha1.OwnerKind{Kind: "Job"} }, false, ""},
		{"labels that fit", func(s *v1alpha1.AffinityExemptionSpec) {
			s.PodSelector = &v1alpha1.PodSelector{MatchLabels: map[string]string{"app": "importer"}}
		}, true, ""},
		{"labels that do not", func(s *v1alpha1.AffinityExemptionSpec) {
			s.PodSelector = &v1alpha1.PodSelector{MatchLabels: map[string]string{"app": "web"}}
		}, false, ""},
		{"a moment before it expires", func(s *v1alpha1.AffinityExemptionSpec) { s.Expires = at(time.Second) }, true, ""},
		{"the moment it expires", func(s *v1alpha1.AffinityExemptionSpec) { s.Expires = at(0) }, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			object := &v1alpha1.AffinityExemption{}
			object.Spec = v1alpha1.AffinityExemptionSpec{Usernames: []string{creation.Username}, Reason: "disk import"}
			tt.change(&object.Spec)
			exemption, err := affinityclass.CompileExemption(object)
			if err != nil {
				t.Fatal(err)
			}
			if got := exemption.Covers(creation, now); got != tt.want {
				t.Errorf("got %v, want %v: %s", got, tt.want, tt.reason)
			}
		})
	}
}

func TestAnExemptionWithAnUnreadableSelectorIsNone(t *testing.T) {
	object := &v1alpha1.AffinityExemption{}
	object.Spec.PodSelector = &v1alpha1.PodSelector{MatchExpressions: []v1alpha1.PodSelectorRequirement{{Key: "a", Operator: "Like"}}}
	if _, err := affinityclass.CompileExemption(object); err == nil {
		t.Error("a selector that cannot be read was taken for one that matches")
	}
}
