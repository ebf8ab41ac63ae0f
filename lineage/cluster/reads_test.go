package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

func newReader(t testing.TB, s *apiServer, options cluster.Options) *cluster.Reader {
	t.Helper()
	options.Config = s.config()
	reader, err := cluster.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

// watched is a release cache that already holds the releases of a world.
type watched struct{ *fixture.World }

func (w watched) Release(namespace, name string) (*lineage.Object, bool) {
	for _, object := range w.Objects {
		if object.Release != nil && object.Namespace == namespace && object.Name == name {
			return object, true
		}
	}
	return nil, false
}

func refOf(object *lineage.Object) lineage.Ref {
	return lineage.Ref{GroupKind: object.GroupKind, Namespace: object.Namespace, Name: object.Name, UID: object.UID}
}

func resolves(t *testing.T, world *fixture.World, get lineage.Getter) {
	t.Helper()
	if outcome := lineage.Trace(context.Background(), world.Start, get); !isResolved(outcome) {
		t.Errorf("%T %+v, wanted a release", outcome, outcome)
	}
}

func isResolved(outcome lineage.Outcome) bool {
	_, ok := outcome.(lineage.Resolved)
	return ok
}

func TestEveryNamedChainResolvesWithOneReadAHopAndThenWithNone(t *testing.T) {
	for _, named := range fixture.Chains() {
		t.Run(named.Name, func(t *testing.T) {
			world := named.World()
			server := serve(t, world)
			reader := newReader(t, server, cluster.Options{Releases: watched{world}})
			cold := reader.Begin("shop")
			outcome := lineage.Trace(t.Context(), world.Start, cold)
			resolved, ok := outcome.(lineage.Resolved)
			if !ok {
				t.Fatalf("%T %+v", outcome, outcome)
			}
			if got := lineage.ChainString(resolved.Chain); got != named.Path {
				t.Errorf("got %q, wanted %q", got, named.Path)
			}
			owners := len(resolved.Chain) - 1 - len(resolved.Releases())
			if server.reads() != owners || cold.LiveReads() != owners {
				t.Errorf("cold: %d requests, %d counted, wanted %d", server.reads(), cold.LiveReads(), owners)
			}
			discovered := server.discoveries()
			warm := reader.Begin("shop")
			resolves(t, world, warm)
			if server.reads() != owners || server.discoveries() != discovered || warm.LiveReads() != 0 {
				t.Errorf("warm: %d requests, %d counted, wanted none", server.reads()-owners, warm.LiveReads())
			}
		})
	}
}

func TestFiveHundredPodsOfOneReplicaSetCostOneReadAHop(t *testing.T) {
	world := fixture.Chain("Pod shop/web-x < ReplicaSet web-7c < Deployment web @ shop/web")
	server := serve(t, world)
	server.gate = func(path string) { time.Sleep(2 * time.Millisecond) }
	reader := newReader(t, server, cluster.Options{Releases: watched{world}})
	crowd(500, func() { resolves(t, world, reader.Begin("shop")) })
	if server.reads() != 2 || server.discoveries() != 1 {
		t.Errorf("%d reads, %d discoveries, wanted 2 and 1", server.reads(), server.discoveries())
	}
}

func crowd(size int, each func()) {
	var all sync.WaitGroup
	for range size {
		all.Go(each)
	}
	all.Wait()
}

func TestFiveHundredDeniedReviewsShareTheirLiveReads(t *testing.T) {
	world := fixture.Chain("Pod shop/web-x < ReplicaSet web-7c < Deployment web @ shop/web")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{Releases: watched{world}})
	resolves(t, world, reader.Begin("shop"))
	before := server.reads()
	began := time.Now()
	crowd(500, func() {
		reads := reader.Begin("shop")
		resolves(t, world, reads)
		resolves(t, world, reads.Live())
		resolves(t, world, reads.Live())
		if reads.LiveReads() != 3 {
			t.Errorf("%d live reads of a review, wanted one for each of three hops", reads.LiveReads())
		}
	})
	t.Logf("%d reads in %s", server.reads()-before, time.Since(began))
	// At most one read a hop each 50 ms, and one before and one after.
	bound := 3 * (int(time.Since(began)/(50*time.Millisecond)) + 2)
	if got := server.reads() - before; got > bound {
		t.Errorf("%d reads in %s, wanted at most %d", got, time.Since(began), bound)
	}
}

func TestLiveIsNeverOlderThanItsReview(t *testing.T) {
	world := fixture.Chain("Pod shop/web-x < ReplicaSet web-7c @ shop/web")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{Releases: watched{world}})
	resolves(t, world, reader.Begin("shop"))

	owner := world.Find("ReplicaSet", "web-7c")
	server.remove(owner)
	reads := reader.Begin("shop")
	resolves(t, world, reads) // memory still has it
	if _, err := reads.Live().Get(t.Context(), refOf(owner)); !errors.Is(err, lineage.ErrNotFound) {
		t.Errorf("live: %v, wanted %v", err, lineage.ErrNotFound)
	}
	if _, err := reader.Begin("shop").Get(t.Context(), refOf(owner)); !errors.Is(err, lineage.ErrNotFound) {
		t.Errorf("after a live read that found nothing, memory gives: %v", err)
	}
}

func TestLiveDoesNotJoinAReadThatBeganBeforeItsReview(t *testing.T) {
	world := fixture.Chain("Pod shop/web-x < ReplicaSet web-7c @ shop/web")
	owner := world.Find("ReplicaSet", "web-7c")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{})
	resolves(t, world, reader.Begin("shop"))

	arrived, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server.change(func() {
		server.gate = func(string) {
			once.Do(func() { close(arrived); <-held })
		}
	})
	var all sync.WaitGroup
	all.Go(func() { _, _ = reader.Begin("shop").Live().Get(t.Context(), refOf(owner)) })
	<-arrived
	late := reader.Begin("shop")
	before := server.count(server.path(owner))
	all.Go(func() {
		if _, err := late.Live().Get(t.Context(), refOf(owner)); err != nil {
			t.Error(err)
		}
	})
	close(held)
	all.Wait()
	if got := server.count(server.path(owner)) - before; got != 1 {
		t.Errorf("%d reads after the review began, wanted 1", got)
	}
}

func TestMemoryServesOnlyTheNamespaceAndTheUIDThatItKnows(t *testing.T) {
	world := fixture.Chain("Pod shop/p < ConfigMap c")
	owner := world.Find("ConfigMap", "c")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{})
	if _, err := reader.Begin("shop").Get(t.Context(), refOf(owner)); err != nil {
		t.Fatal(err)
	}

	borrowed := refOf(owner)
	borrowed.Namespace = "bank"
	if object, err := reader.Begin("bank").Get(t.Context(), borrowed); !errors.Is(err, lineage.ErrNotFound) {
		t.Errorf("another namespace that names the uid got %v, %v", object, err)
	}
	for range 2 {
		forged := refOf(owner)
		forged.UID = "forged"
		before := server.reads()
		object, err := reader.Begin("shop").Get(t.Context(), forged)
		if err != nil || object.UID != owner.UID {
			t.Errorf("another uid got %v, %v", object, err)
		}
		if server.reads() != before+1 {
			t.Errorf("a read with another uid was remembered under the uid asked for")
		}
	}
}

func TestAReleaseThatTheWatchDoesNotHaveIsReadLiveWhole(t *testing.T) {
	world := fixture.Chain("Pod shop/p @ flux/web ->shop", "Pod shop/q @ shop/guest !remote")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{})
	for _, name := range []string{"web", "guest"} {
		want := world.Find("HelmRelease", name)
		got, err := reader.Begin("shop").Get(t.Context(), refOf(want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("wanted (-), got (+):\n%s", diff)
		}
	}
	resolves(t, world, reader.Begin("shop"))
}

func TestAReleaseOfAnotherUIDThanTheWatchedIsReadLive(t *testing.T) {
	world := fixture.Chain("Pod shop/p < HelmRelease web")
	server := serve(t, world)
	old := fixture.Chain("Pod shop/p < HelmRelease web !uid")
	reader := newReader(t, server, cluster.Options{Releases: watched{old}})
	resolves(t, world, reader.Begin("shop"))
}

func TestWhatCouldNotBeRead(t *testing.T) {
	resource := schema.GroupResource{Resource: "configmaps"}
	for _, test := range []struct {
		name   string
		answer *apierrors.StatusError
		is     error // nil: could not tell now
	}{
		{name: "not found", answer: apierrors.NewNotFound(resource, "c"), is: lineage.ErrNotFound},
		{name: "forbidden", answer: apierrors.NewForbidden(resource, "c", errors.New("no role")), is: lineage.ErrForbidden},
		{name: "unauthorized", answer: apierrors.NewUnauthorized("expired")},
		{name: "throttled", answer: apierrors.NewTooManyRequests("slow down", 0)},
		{name: "a server that timed out", answer: apierrors.NewTimeoutError("etcd", 0)},
		{name: "a broken server", answer: apierrors.NewInternalError(errors.New("oh"))},
		{name: "a server that is away", answer: apierrors.NewServiceUnavailable("starting")},
		{name: "an aggregated API that is gone", answer: apierrors.NewGenericServerResponse(http.StatusBadGateway, "get", resource, "c", "bad gateway", 0, true)},
	} {
		t.Run(test.name, func(t *testing.T) {
			world := fixture.Chain("Pod shop/p < ConfigMap c")
			owner := world.Find("ConfigMap", "c")
			server := serve(t, world)
			server.answer = func(path string) *apierrors.StatusError {
				if path == server.path(owner) {
					return test.answer
				}
				return nil
			}
			reader := newReader(t, server, cluster.Options{})
			_, err := reader.Begin("shop").Get(t.Context(), refOf(owner))
			if err == nil || !strings.HasPrefix(err.Error(), "read owner ConfigMap shop/c: ") {
				t.Errorf("got %v", err)
			}
			for _, sentinel := range []error{lineage.ErrNotFound, lineage.ErrForbidden, lineage.ErrNoKind} {
				if got, want := errors.Is(err, sentinel), sentinel == test.is; got != want {
					t.Errorf("%v is %v: %t", err, sentinel, got)
				}
			}
			server.change(func() { server.answer = func(string) *apierrors.StatusError { return nil } })
			if _, err := reader.Begin("shop").Get(t.Context(), refOf(owner)); err != nil {
				t.Errorf("the failure was remembered: %v", err)
			}
		})
	}
}

func TestReferencesThatNothingCanHaveCostNoCall(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name string
		ref  lineage.Ref
		is   error
	}{
		{name: "a Secret is never read", ref: lineage.Ref{GroupKind: schema.GroupKind{Kind: "Secret"}, Namespace: "shop", Name: "s"}, is: lineage.ErrForbidden},
		{name: "a name that climbs out of its path", ref: lineage.Ref{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "shop", Name: "../secrets/s"}, is: lineage.ErrNotFound},
		{name: "a name of two dots", ref: lineage.Ref{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "shop", Name: ".."}, is: lineage.ErrNotFound},
		{name: "a name of a million letters", ref: lineage.Ref{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "shop", Name: long}, is: lineage.ErrNotFound},
		{name: "a kind of a million letters", ref: lineage.Ref{GroupKind: schema.GroupKind{Kind: long}, Namespace: "shop", Name: "c"}, is: lineage.ErrNoKind},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t)
			reads := newReader(t, server, cluster.Options{}).Begin("shop")
			for _, get := range []lineage.Getter{reads, reads.Live()} {
				if _, err := get.Get(t.Context(), test.ref); !errors.Is(err, test.is) {
					t.Errorf("got %v, wanted %v", err, test.is)
				}
			}
			if server.reads() != 0 || server.discoveries() != 0 {
				t.Errorf("%d reads, %d discoveries", server.reads(), server.discoveries())
			}
		})
	}
}

func TestAReviewThatGivesUpDoesNotEndTheReadOfOthers(t *testing.T) {
	world := fixture.Chain("Pod shop/p < ConfigMap c")
	owner := world.Find("ConfigMap", "c")
	server := serve(t, world)
	arrived, held := make(chan struct{}), make(chan struct{})
	server.gate = func(path string) {
		if path == server.path(owner) {
			close(arrived) // panics on a second read
			<-held
		}
	}
	reader := newReader(t, server, cluster.Options{})
	short, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := reader.Begin("shop").Get(short, refOf(owner)); !errors.Is(err, context.Canceled) {
			t.Errorf("the first review got %v", err)
		}
	})
	<-arrived
	cancel()
	all.Go(func() {
		if _, err := reader.Begin("shop").Get(t.Context(), refOf(owner)); err != nil {
			t.Errorf("the second review got %v", err)
		}
	})
	time.Sleep(10 * time.Millisecond)
	close(held)
	all.Wait()
}

func TestAnOwnerWithAHeapOfLabelsIsNotRemembered(t *testing.T) {
	world := fixture.Chain("Pod shop/p < ConfigMap c")
	owner := world.Find("ConfigMap", "c")
	owner.Labels["heap"] = strings.Repeat("x", 1<<20)
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{})
	for range 2 {
		if _, err := reader.Begin("shop").Get(t.Context(), refOf(owner)); err != nil {
			t.Fatal(err)
		}
	}
	if server.reads() != 2 {
		t.Errorf("%d reads, wanted 2", server.reads())
	}
}

func TestMemoryEnds(t *testing.T) {
	world := fixture.Chain("Pod shop/p < ConfigMap c")
	owner := world.Find("ConfigMap", "c")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{MemoAge: time.Nanosecond})
	for range 2 {
		if _, err := reader.Begin("shop").Get(t.Context(), refOf(owner)); err != nil {
			t.Fatal(err)
		}
	}
	if server.reads() != 2 {
		t.Errorf("%d reads, wanted 2", server.reads())
	}
}

// tally counts what an Observer is told.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[key]++
}

func (c *tally) LiveRead(kind schema.GroupKind, result string) { c.add(kind.Kind + " " + result) }
func (c *tally) Memo(hit bool)                                 { c.add(fmt.Sprintf("memo %t", hit)) }

func TestAnObserverIsToldOfEachCallAndEachLookIntoMemory(t *testing.T) {
	world := fixture.Chain("Pod shop/web-x < ReplicaSet web-7c < Deployment web @ shop/web")
	server := serve(t, world)
	counts := &tally{counts: map[string]int{}}
	reader := newReader(t, server, cluster.Options{Releases: watched{world}, Observer: counts})
	resolves(t, world, reader.Begin("shop"))
	resolves(t, world, reader.Begin("shop"))
	gone := refOf(world.Find("Deployment", "web"))
	gone.Name = "gone"
	_, _ = reader.Begin("shop").Get(t.Context(), gone)
	want := map[string]int{
		"APIGroupDiscoveryList found": 1, "ReplicaSet found": 1, "Deployment found": 1, "Deployment not_found": 1,
		"memo true": 4, "memo false": 3,
	}
	if diff := cmp.Diff(want, counts.counts); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
}

// Metrics have readers, and so have answers when the API server is away: what is
// elsewhere must cost, and be counted, like what is nowhere.
func TestAReleaseThatCountsForNothingHereIsReadLikeOneThatIsNotThere(t *testing.T) {
	told := map[string]map[string]int{}
	for _, chain := range []string{"Pod shop/p @ flux/web", "Pod shop/p @ flux/web ->other", "Pod shop/p @ flux/web !remote", "absent"} {
		world, known := fixture.Chain("Pod shop/p @ flux/web"), watched{fixture.Chain(strings.Replace(chain, "absent", "Pod shop/p", 1))}
		server := serve(t, known.World)
		counts := &tally{counts: map[string]int{}}
		reader := newReader(t, server, cluster.Options{Releases: known, Observer: counts})
		if outcome, ok := lineage.Trace(t.Context(), world.Start, reader.Begin("shop")).(lineage.Unmanaged); !ok {
			t.Errorf("%s: %+v", chain, outcome)
		}
		told[chain] = counts.counts
	}
	for chain, counts := range told {
		if diff := cmp.Diff(told["absent"], counts); diff != "" {
			t.Errorf("%s: an Observer is told (+), of what is not there (-):\n%s", chain, diff)
		}
	}
}

func TestAReaderNeedsAConfiguration(t *testing.T) {
	if _, err := cluster.New(cluster.Options{}); err == nil {
		t.Error("made a reader of nothing")
	}
}

func BenchmarkGetWarm(b *testing.B) {
	world := fixture.Chain("Pod shop/web-x < ReplicaSet web-7c < Deployment web @ shop/web")
	server := serve(b, world)
	reader := newReader(b, server, cluster.Options{Releases: watched{world}})
	warm := func() {
		if !isResolved(lineage.Trace(context.Background(), world.Start, reader.Begin("shop"))) {
			b.Fatal("not resolved")
		}
	}
	warm()
	before := server.reads()
	b.ReportAllocs()
	for b.Loop() {
		warm()
	}
	b.ReportMetric(float64(server.reads()-before), "reads")
}
