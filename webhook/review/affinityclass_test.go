package review_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook/review"
)

func TestClassRules(t *testing.T) {
	empty := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "empty"}}
	held := empty.DeepCopy()
	held.Finalizers = []string{"affinity.cozystack.io/in-use"}
	softer := empty.DeepCopy()
	softer.Spec.EnforcementAction = v1alpha1.Warn
	leaving := softer.DeepCopy()
	leaving.DeletionTimestamp = &metav1.Time{}
	for _, tt := range []struct {
		name        string
		object, old *v1alpha1.AffinityClass
		want        review.Reason
	}{
		{"a well-formed class", class("dc1", "dc1"), nil, review.ClassWellFormed},
		{"one that names no nodes", empty, nil, review.ClassMalformed},
		{"another selector", class("dc1", "dc2"), class("dc1", "dc1"), review.ClassMalformed},
		{"a finalizer on one stored malformed", held, empty, review.Unchanged},
		{"another spec of one stored malformed", softer, empty, review.ClassMalformed},
		{"a change of one being deleted", leaving, empty, review.Unchanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := review.New(nil, nil, review.Options{}).Class(context.Background(), &review.ClassRequest{Object: tt.object, Old: tt.old})
			if got.Reason != tt.want || got.Admits() == (tt.want == review.ClassMalformed) {
				t.Errorf("%s %s: %s", got.Kind, got.Reason, got.Message)
			}
		})
	}
}
