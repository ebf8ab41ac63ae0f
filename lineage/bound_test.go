package lineage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

// ladder is a Pod under so many ConfigMaps, each owned by the next, and a
// release at the top.
func ladder(owners int) string {
	line := "Pod shop/p"
	for i := range owners {
		line += fmt.Sprintf(" < ConfigMap c%02d", i)
	}
	return line + " @ shop/web"
}

func TestAChainMayHaveSixteenHops(t *testing.T) {
	if got := told(trace(fixture.Chain(ladder(15)))); !strings.HasPrefix(got, "resolved ") {
		t.Errorf("16 hops: %s", got)
	}
	want := "broken HelmRelease shop/web: " + string(lineage.BrokenBound)
	if got := told(trace(fixture.Chain(ladder(16)))); got != want {
		t.Errorf("17 hops: got %q, wanted %q", got, want)
	}
}

// crowd is a Pod with so many references that control nothing.
func crowd(owners int, each func(i int) metav1.OwnerReference) *fixture.World {
	world := fixture.Chain("Pod shop/p", "ConfigMap mine", "ConfigMap theirs @ shop/web")
	for i := range owners {
		world.Start.Owners = append(world.Start.Owners, each(i))
	}
	return world
}

func reference(apiVersion, kind, name string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name}
}

func TestAPodWithThousandsOfOwnersIsReadEightTimes(t *testing.T) {
	world := crowd(3000, func(i int) metav1.OwnerReference {
		return reference("v1", "ConfigMap", fmt.Sprintf("c%d", i))
	})
	want := "broken ConfigMap shop/c0: " + string(lineage.BrokenDangling)
	if got := told(trace(world)); got != want {
		t.Errorf("got %q, wanted %q", got, want)
	}
	if reads := len(world.Reads()); reads != 8 {
		t.Errorf("%d reads, wanted 8", reads)
	}
}

func TestAPodThatNamesHundredsOfUnknownGroupsIsUnknownAfterOne(t *testing.T) {
	world := crowd(300, func(i int) metav1.OwnerReference {
		return reference(fmt.Sprintf("g%d.example.org/v1", i), "Thing", "t")
	})
	reads := 0
	getter := getter(func(ctx context.Context, ref lineage.Ref) (*lineage.Object, error) {
		reads++
		return nil, fmt.Errorf("read owner %s: %w", ref, lineage.ErrNoKind)
	})
	outcome := lineage.Trace(context.Background(), world.Start, getter)
	if got := told(outcome); got != "unknown for good Thing shop/t" || reads != 1 {
		t.Errorf("%s after %d reads", got, reads)
	}
}

func TestOwnersThatNobodyLookedAtAreNotUnmanaged(t *testing.T) {
	world := crowd(9, func(i int) metav1.OwnerReference {
		return reference("v1", "ConfigMap", "mine")
	})
	for i := range world.Start.Owners { // distinct references to one object
		world.Start.Owners[i].UID = world.Find("ConfigMap", "mine").UID
		world.Start.Owners[i].APIVersion = fmt.Sprintf("v%d", i)
	}
	want := "broken ConfigMap shop/mine: " + string(lineage.BrokenBound)
	if got := told(trace(world)); got != want {
		t.Errorf("got %q, wanted %q", got, want)
	}
	if reads := len(world.Reads()); reads != 1 {
		t.Errorf("%d reads of one object, wanted 1", reads)
	}
}

func TestAReferenceWrittenManyTimesCountsOnce(t *testing.T) {
	world := crowd(3000, func(i int) metav1.OwnerReference {
		return reference("v1", "ConfigMap", "mine")
	})
	want := "unmanaged ConfigMap shop/mine: " + string(lineage.WhyNoOwner)
	if got := told(trace(world)); got != want {
		t.Errorf("got %q, wanted %q", got, want)
	}
}

func TestAWalkReadsThirtyTwoReferencesAtMost(t *testing.T) {
	world := fixture.Chain("Pod shop/p")
	for i := range 8 {
		for j := range 8 {
			more := fixture.Chain(fmt.Sprintf("Pod shop/p <- ConfigMap c%d <- ConfigMap c%d-%d", i, i, j))
			if j == 0 {
				world.Start.Owners = append(world.Start.Owners, more.Start.Owners...)
				world.Objects = append(world.Objects, more.Objects[1])
			}
			below := world.Find("ConfigMap", fmt.Sprintf("c%d", i))
			if j > 0 {
				below.Owners = append(below.Owners, more.Objects[1].Owners...)
			}
			world.Objects = append(world.Objects, more.Objects[2])
		}
	}
	if got := told(trace(world)); !strings.HasSuffix(got, string(lineage.BrokenBound)) {
		t.Errorf("got %q", got)
	}
	if reads := len(world.Reads()); reads != 32 {
		t.Errorf("%d reads, wanted 32", reads)
	}
}

// lattice has two owners a level, each owned by both of the next: 2^levels paths.
func TestAWalkVisitsEachObjectOnce(t *testing.T) {
	var lines []string
	for level := range 14 {
		for _, from := range []string{"a", "b"} {
			for _, to := range []string{"a", "b"} {
				lines = append(lines, fmt.Sprintf("ConfigMap %s%d <- ConfigMap %s%d", from, level, to, level+1))
			}
		}
	}
	world := fixture.Chain(append([]string{"Pod shop/p < ConfigMap a0", "ConfigMap a14 @ shop/web", "ConfigMap b14 @ shop/web"}, lines...)...)
	if got := told(trace(world)); !strings.HasPrefix(got, "resolved ") {
		t.Errorf("got %q", got)
	}
	if reads := len(world.Reads()); reads != 30 {
		t.Errorf("%d reads, wanted 30: one for each object above the Pod", reads)
	}
}

func TestASharedOwnerKeepsThePathOfEachBranch(t *testing.T) {
	world := fixture.Chain(
		"Pod shop/p <- ConfigMap a < Deployment d",
		"Pod shop/p <- ConfigMap b < Deployment d",
		"Deployment d <- ConfigMap x @ shop/web", "Deployment d <- ConfigMap y @ shop/db",
	)
	want := "Pod shop/p < ConfigMap a < Deployment d < ConfigMap y < HelmRelease shop/db"
	branches := trace(world).(lineage.Ambiguous).Branches
	if got := lineage.ChainString(branches[0].Chain); got != want || len(branches) != 2 {
		t.Errorf("got %q, wanted %q", got, want)
	}
}

type getter func(context.Context, lineage.Ref) (*lineage.Object, error)

func (g getter) Get(ctx context.Context, ref lineage.Ref) (*lineage.Object, error) {
	return g(ctx, ref)
}

func TestAReaderThatBreaksItsPromiseIsUnknown(t *testing.T) {
	world := fixture.Chain("Pod shop/p < HelmRelease web")
	for name, object := range map[string]*lineage.Object{
		"nothing":             nil,
		"a release in halves": {GroupKind: lineage.HelmRelease, Namespace: "shop", Name: "web", UID: world.Objects[1].UID},
	} {
		get := getter(func(context.Context, lineage.Ref) (*lineage.Object, error) { return object, nil })
		if got := told(lineage.Trace(context.Background(), world.Start, get)); got != "unknown for now HelmRelease shop/web" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestUnknownKeepsTheReadersError(t *testing.T) {
	unknown := trace(fixture.Chain("Pod shop/p < ReplicaSet r !timeout")).(lineage.Unknown)
	if !errors.Is(unknown.Err, fixture.ErrTimeout) {
		t.Errorf("got %v", unknown.Err)
	}
}

func BenchmarkTraceWarm(b *testing.B) {
	world := fixture.Chain("Pod shop/p < ReplicaSet r < Deployment d @ shop/web")
	objects := map[lineage.Ref]*lineage.Object{}
	trace(world)
	for _, ref := range world.Reads() {
		objects[ref] = world.Find(ref.Kind, ref.Name)
	}
	get := getter(func(_ context.Context, ref lineage.Ref) (*lineage.Object, error) { return objects[ref], nil })
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := lineage.Trace(context.Background(), world.Start, get).(lineage.Resolved); !ok {
			b.Fatal("not resolved")
		}
	}
}
