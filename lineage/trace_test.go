package lineage_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

// told writes an outcome in one line, so that a table can say what it wants.
func told(outcome lineage.Outcome) string {
	switch o := outcome.(type) {
	case lineage.Resolved:
		return "resolved " + lineage.ChainString(o.Chain)
	case lineage.Unmanaged:
		return "unmanaged " + o.Top.String() + ": " + string(o.Why)
	case lineage.Ambiguous:
		text := "ambiguous"
		for _, branch := range o.Branches {
			text += " " + branch.Release.Namespace + "/" + branch.Release.Name
		}
		return text
	case lineage.Broken:
		return "broken " + o.Hop.Ref.String() + ": " + string(o.Why)
	case lineage.Unknown:
		if o.Lasting {
			return "unknown for good " + o.Hop.Ref.String()
		}
		return "unknown for now " + o.Hop.Ref.String()
	}
	return "no outcome"
}

func trace(world *fixture.World) lineage.Outcome {
	return lineage.Trace(context.Background(), world.Start, world)
}

func TestEveryNamedChainResolves(t *testing.T) {
	for _, named := range fixture.Chains() {
		t.Run(named.Name, func(t *testing.T) {
			world := named.World()
			outcome := trace(world)
			if diff := cmp.Diff("resolved "+named.Path, told(outcome)); diff != "" {
				t.Fatalf("wanted (-), got (+):\n%s", diff)
			}
			chain := outcome.(lineage.Resolved).Chain
			if got, want := len(world.Reads()), len(chain)-1; got != want {
				t.Errorf("%d reads, wanted one a hop: %d", got, want)
			}
		})
	}
}

func TestTrace(t *testing.T) {
	for _, test := range []struct {
		name    string
		diagram []string
		want    string
		reason  string
	}{
		{
			name:    "a Pod with neither owner nor label is unmanaged",
			diagram: []string{"Pod shop/p"},
			want:    "unmanaged Pod shop/p: no owner and no Flux label",
		},
		{
			name:    "a workload with no label is the unmanaged top",
			diagram: []string{"Pod shop/p < ReplicaSet r < Deployment d"},
			want:    "unmanaged Deployment shop/d: no owner and no Flux label",
		},
		{
			name:    "a cluster-scoped owner is followed",
			diagram: []string{"Pod shop/p < Node n"},
			want:    "unmanaged Node n: no owner and no Flux label",
		},
		{
			name:    "a label that names no release is no evidence",
			diagram: []string{"Pod shop/p @ shop/web !gone"},
			want:    "unmanaged Pod shop/p: the Flux label names no release that deploys here",
		},
		{
			name:    "a label that names a release elsewhere gets the same wording",
			diagram: []string{"Pod shop/p @ bank/vault"},
			want:    "unmanaged Pod shop/p: the Flux label names no release that deploys here",
			reason:  "a different one would say what exists in another namespace",
		},
		{
			name:    "a release elsewhere that deploys to a third namespace is not taken",
			diagram: []string{"Pod shop/p @ bank/vault ->safe"},
			want:    "unmanaged Pod shop/p: the Flux label names no release that deploys here",
		},
		{
			name:    "a release of the same namespace that has a kubeConfig is not taken",
			diagram: []string{"Pod shop/p @ shop/web !remote"},
			want:    "unmanaged Pod shop/p: the Flux label names no release that deploys here",
		},
		{
			name:    "a label is no evidence in a cluster without HelmReleases",
			diagram: []string{"Pod shop/p @ shop/web !nokind"},
			want:    "unmanaged Pod shop/p: the Flux label names no release that deploys here",
		},
		{
			name:    "a label on a cluster-scoped owner is not taken",
			diagram: []string{"Pod shop/p < Node n @ flux/web"},
			want:    "unmanaged Node n: the Flux label names no release that deploys here",
		},
		{
			name:    "a label whose release could not be read now is unknown",
			diagram: []string{"Pod shop/p @ shop/web !timeout"},
			want:    "unknown for now HelmRelease shop/web",
		},
		{
			name:    "a label whose release we may not read is unknown for good",
			diagram: []string{"Pod shop/p @ shop/web !forbidden"},
			want:    "unknown for good HelmRelease shop/web",
		},
		{
			name:    "an owner that is gone breaks the chain",
			diagram: []string{"Pod shop/p < ReplicaSet r < Deployment d !gone @ shop/web"},
			want:    "broken Deployment shop/d: an owner reference leads to no such object",
		},
		{
			name:    "an owner with another uid breaks the chain with the same words",
			diagram: []string{"Pod shop/p < ReplicaSet r !uid @ shop/web"},
			want:    "broken ReplicaSet shop/r: an owner reference leads to no such object",
		},
		{
			name:    "an owner that could not be read now is unknown",
			diagram: []string{"Pod shop/p < ReplicaSet r !timeout"},
			want:    "unknown for now ReplicaSet shop/r",
		},
		{
			name:    "an owner we may not read is unknown for good",
			diagram: []string{"Pod shop/p < Kafka k !forbidden"},
			want:    "unknown for good Kafka shop/k",
		},
		{
			name:    "an owner of a kind that nobody serves is unknown for good",
			diagram: []string{"Pod shop/p < Kafka k !nokind"},
			want:    "unknown for good Kafka shop/k",
		},
		{
			name:    "owners that own each other are a cycle",
			diagram: []string{"Pod shop/p < ConfigMap a < ConfigMap b < ConfigMap a"},
			want:    "broken ConfigMap shop/a: the owner references form a cycle",
		},
		{
			name:    "a release labelled for itself is a cycle",
			diagram: []string{"Pod shop/p @ shop/web @ shop/web !child"},
			want:    "broken HelmRelease shop/web: the owner references form a cycle",
		},
		{
			name:    "a Pod that names a ConfigMap of its own beside its controller changes nothing",
			diagram: []string{"Pod shop/p < ReplicaSet r @ shop/web", "Pod shop/p <- ConfigMap mine @ shop/db"},
			want:    "resolved Pod shop/p < ReplicaSet r < HelmRelease shop/web",
			reason:  "other references count only where the controller says nothing",
		},
		{
			name:    "a Pod owned only by a ConfigMap of its own is unmanaged",
			diagram: []string{"Pod shop/p < ConfigMap mine"},
			want:    "unmanaged ConfigMap shop/mine: no owner and no Flux label",
		},
		{
			name:    "other references are followed when the controller's chain is unmanaged",
			diagram: []string{"Pod shop/p < ReplicaSet r", "Pod shop/p <- ConfigMap c @ shop/web"},
			want:    "resolved Pod shop/p < ConfigMap c < HelmRelease shop/web",
		},
		{
			name:    "the object's own label counts when all its owners are unmanaged",
			diagram: []string{"Pod shop/p < ReplicaSet r", "Pod shop/p @ shop/web"},
			want:    "resolved Pod shop/p < HelmRelease shop/web",
		},
		{
			name:    "the object's own label does not count against its owners' release",
			diagram: []string{"Pod shop/p < ReplicaSet r @ shop/web", "Pod shop/p @ shop/db"},
			want:    "resolved Pod shop/p < ReplicaSet r < HelmRelease shop/web",
		},
		{
			name:    "two releases are ambiguous, in the order of their names",
			diagram: []string{"Pod shop/p <- ConfigMap a @ shop/web", "Pod shop/p <- ConfigMap b @ shop/db"},
			want:    "ambiguous shop/db shop/web",
		},
		{
			name:    "the same release through two references is resolved",
			diagram: []string{"Pod shop/p <- ConfigMap a @ shop/web", "Pod shop/p <- ConfigMap b @ shop/web"},
			want:    "resolved Pod shop/p < ConfigMap a < HelmRelease shop/web",
		},
		{
			name: "two owners with one owner above them are not a cycle",
			diagram: []string{
				"Pod shop/p <- ConfigMap a < Deployment d @ shop/web",
				"Pod shop/p <- ConfigMap b < Deployment d",
			},
			want: "resolved Pod shop/p < ConfigMap a < Deployment d < HelmRelease shop/web",
		},
		{
			name: "an unknown reference outranks a broken one",
			diagram: []string{
				"Pod shop/p <- ConfigMap a !gone", "Pod shop/p <- ConfigMap b !timeout", "Pod shop/p <- ConfigMap c @ shop/web",
			},
			want: "unknown for now ConfigMap shop/b",
		},
		{
			name: "a broken reference outranks two releases",
			diagram: []string{
				"Pod shop/p <- ConfigMap a @ shop/web", "Pod shop/p <- ConfigMap b @ shop/db", "Pod shop/p <- ConfigMap c !gone",
			},
			want: "broken ConfigMap shop/c: an owner reference leads to no such object",
		},
		{
			name:    "a release without application labels ends the walk when nothing is above it",
			diagram: []string{"Pod shop/p < ReplicaSet r @ shop/web !child"},
			want:    "resolved Pod shop/p < ReplicaSet r < HelmRelease shop/web",
		},
		{
			name:    "a child release whose parent could not be read is unknown",
			diagram: []string{"Pod shop/p @ shop/web-db @ shop/web !timeout"},
			want:    "unknown for now HelmRelease shop/web",
			reason:  "the parent may bear the class",
		},
		{
			name:    "a child release stands when its label names a release elsewhere",
			diagram: []string{"Pod shop/p @ shop/web-db !child @ bank/web"},
			want:    "resolved Pod shop/p < HelmRelease shop/web-db",
		},
		{
			name:    "an application's release ends the walk though it has a label itself",
			diagram: []string{"Pod shop/p @ shop/web", "HelmRelease shop/web @ shop/umbrella"},
			want:    "resolved Pod shop/p < HelmRelease shop/web",
		},
		{
			name:    "an owner release with a kubeConfig never ends a chain",
			diagram: []string{"Pod shop/p < HelmRelease web !remote"},
			want:    "unmanaged HelmRelease shop/web: no owner and no Flux label",
		},
		{
			name:    "an owner release with a kubeConfig is passed on the way to its parent",
			diagram: []string{"Pod shop/p < HelmRelease guest !remote < HelmRelease web"},
			want:    "resolved Pod shop/p < HelmRelease shop/guest < HelmRelease shop/web",
		},
		{
			name:    "a release can be traced itself",
			diagram: []string{"HelmRelease shop/web-db @ shop/web"},
			want:    "resolved HelmRelease shop/web-db < HelmRelease shop/web",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := told(trace(fixture.Chain(test.diagram...)))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Fatalf("wanted (-), got (+): %s\n%s", test.reason, diff)
			}
		})
	}
}

func TestReleasesAreThoseThatDeployHereNearestFirst(t *testing.T) {
	outcome := trace(fixture.Chain("Pod shop/p @ shop/a @ shop/b < HelmRelease guest !remote < HelmRelease web"))
	var names []string
	for _, release := range outcome.(lineage.Resolved).Releases() {
		names = append(names, release.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "web"}, names); diff != "" {
		t.Fatalf("wanted (-), got (+):\n%s", diff)
	}
}
