package main

import (
	"slices"
	"testing"

	lru "github.com/hashicorp/golang-lru/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

// hearing keeps whom Events are about.
type hearing struct{ about *[]string }

func (h hearing) Event(about runtime.Object, _, reason, _ string) {
	ref := about.(*corev1.ObjectReference)
	*h.about = append(*h.about, ref.Kind+" "+ref.Name+" "+reason)
}

func (hearing) Eventf(runtime.Object, string, string, string, ...any) {}
func (hearing) AnnotatedEventf(runtime.Object, map[string]string, string, string, string, ...any) {
}

func named(kind, name string) *lineage.Object {
	return &lineage.Object{GroupKind: schema.GroupKind{Kind: kind}, Namespace: "shop", Name: name}
}

func TestWeightsAreToldToTheReleaseElseToTheTopOwnerElseToTheObject(t *testing.T) {
	owner := &review.Owner{APIVersion: "v1", Object: named("Cluster", "db")}
	away := &review.Owner{APIVersion: "v1", Object: &lineage.Object{GroupKind: schema.GroupKind{Kind: "Cluster"}, Namespace: "other", Name: "db"}}
	for _, tt := range []struct {
		reason  string
		release *lineage.Object
		top     *review.Owner
		once    []string // of each time
		want    []string
	}{
		{"the release", named("HelmRelease", "web"), owner, []string{""}, []string{"HelmRelease web BinaryWeighted"}},
		{"the top owner", nil, owner, []string{""}, []string{"Cluster db BinaryWeighted"}},
		{"never what is in another namespace", nil, away, []string{""}, []string{"Pod web-1 BinaryWeighted"}},
		{"the Pod itself", nil, nil, []string{""}, []string{"Pod web-1 BinaryWeighted"}},
		{"each time that a person does it", nil, nil, []string{"", ""}, []string{"Pod web-1 BinaryWeighted", "Pod web-1 BinaryWeighted"}},
		{"once for a controller, and for another", nil, owner, []string{"a", "a", "b", "a"}, []string{"Cluster db BinaryWeighted", "Cluster db BinaryWeighted"}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var about []string
			known, err := lru.New[told, struct{}](toldAtMost)
			if err != nil {
				t.Fatal(err)
			}
			e := events{recorder: hearing{&about}, told: known}
			for _, once := range tt.once {
				e.RecordWeights(&review.Verdict{Facts: review.Facts{
					Subject: review.Subject{Kind: "Pod", Namespace: "shop", Name: "web-*"}, Release: tt.release, Top: tt.top,
					Weighted: &review.Weighted{Message: "weights", Once: once, Self: review.Owner{APIVersion: "v1", Object: named("Pod", "web-1")}},
				}})
			}
			if !slices.Equal(about, tt.want) {
				t.Errorf("told %q, wanted %q", about, tt.want)
			}
		})
	}
}
