package docs_test

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/webhook/review"
)

// empty is a cluster of one node, on which nothing is placed; live reads may fail.
type empty struct{ err error }

func (empty) Read(func(*placement.Snapshot)) bool { return false }

func (e empty) Live(context.Context, string, []string) (*placement.Snapshot, error) {
	node := &corev1.Node{}
	node.Name, node.Labels = "n1", map[string]string{corev1.LabelHostname: "n1"}
	s := placement.NewSnapshot()
	s.SetNode(node)
	return s, e.err
}

// requiring is the first Pod of a group, with its terms, that asks for its own like.
func requiring(err error) func() review.Verdict {
	return func() review.Verdict {
		value := binaryaffinity.Value{RequireWith: []string{"web"}}
		pod := review.Pod{Metadata: review.Metadata{
			Name: "web-1", Annotations: map[string]string{binaryaffinity.Annotation: value.String()},
			Labels: map[string]string{binaryaffinity.TagPrefix + "web": ""},
		}}
		terms := binaryaffinity.Translate(value, nil).Append(nil)
		pod.Spec.Affinity = &affinityclass.Affinity{PodAffinity: terms.PodAffinity}
		return reviewerOf(review.Options{State: empty{err}}).Pod(context.Background(), &review.Request{Namespace: "shop", Pod: pod})
	}
}
