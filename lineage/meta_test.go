package lineage_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/lineage"
)

func TestReadRelease(t *testing.T) {
	for _, test := range []struct {
		name    string
		content string
		want    lineage.Release
	}{
		{
			name:    "an empty release deploys to its own namespace of this cluster",
			content: `{}`,
		},
		{
			name: "a settled release is ready and observed",
			content: `{"metadata":{"generation":3},"spec":{"targetNamespace":"shop"},
				"status":{"observedGeneration":3,"conditions":[{"type":"Released","status":"False"},{"type":"Ready","status":"True"}]}}`,
			want: lineage.Release{TargetNamespace: "shop", Generation: 3, ObservedGeneration: 3, Ready: true},
		},
		{
			name:    "any kubeConfig makes a release remote, even one we do not understand",
			content: `{"spec":{"kubeConfig":{}}}`,
			want:    lineage.Release{Remote: true},
		},
		{
			name:    "a null kubeConfig does not",
			content: `{"spec":{"kubeConfig":null}}`,
		},
		{
			name:    "a release being deleted says so",
			content: `{"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"}}`,
			want:    lineage.Release{Terminating: true},
		},
		{
			name:    "fields of the wrong type count as absent",
			content: `{"metadata":7,"spec":{"targetNamespace":7},"status":{"conditions":{"type":"Ready"},"observedGeneration":"x"}}`,
		},
		{
			name:    "a Ready condition that is not True is not ready",
			content: `{"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var content map[string]any
			if err := json.Unmarshal([]byte(test.content), &content); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, *lineage.ReadRelease(content)); diff != "" {
				t.Fatalf("wanted (-), got (+):\n%s", diff)
			}
		})
	}
}

func TestChainString(t *testing.T) {
	pod := &lineage.Object{Namespace: "shop"}
	pod.Kind = "Pod"
	node := lineage.Ref{Name: "a"}
	node.Kind = "Node"
	release := lineage.Ref{GroupKind: lineage.HelmRelease, Namespace: "flux", Name: "web"}
	for _, test := range []struct {
		name  string
		chain []lineage.Hop
		want  string
	}{
		{name: "an empty chain is empty", want: ""},
		{name: "a Pod may have no name yet", chain: []lineage.Hop{{Object: pod}}, want: "new Pod in shop"},
		{
			name:  "a hop that was not read is told by its reference",
			chain: []lineage.Hop{{Object: pod}, {Ref: node}, {Ref: release}},
			want:  "new Pod in shop < Node a < HelmRelease flux/web",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := lineage.ChainString(test.chain); got != test.want {
				t.Errorf("got %q, wanted %q", got, test.want)
			}
		})
	}
}
