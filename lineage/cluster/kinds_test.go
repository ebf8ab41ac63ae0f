package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

func unknown(number int) lineage.Ref {
	kind := schema.GroupKind{Group: fmt.Sprintf("g%d.example.org", number), Kind: "Thing"}
	return lineage.Ref{GroupKind: kind, Namespace: "shop", Name: "t", UID: "u"}
}

// isPlain tells "could not tell now" from what an error may say for sure.
func isPlain(err error) bool {
	return err != nil && !errors.Is(err, lineage.ErrNoKind) && !errors.Is(err, lineage.ErrNotFound) && !errors.Is(err, lineage.ErrForbidden)
}

func TestAKindThatNobodyServesIsAskedForOnceAndKnownForAWhile(t *testing.T) {
	server := serve(t)
	reader := newReader(t, server, cluster.Options{MissAge: 200 * time.Millisecond, RefreshPace: time.Nanosecond, Pace: time.Nanosecond})
	get := func() error {
		_, err := reader.Begin("shop").Get(t.Context(), unknown(1))
		return err
	}
	for range 10 {
		if err := get(); !errors.Is(err, lineage.ErrNoKind) {
			t.Fatalf("got %v", err)
		}
	}
	// The very first discovery is made once more before a kind is called none.
	if server.discoveries() != 2 {
		t.Errorf("%d discoveries, wanted 2", server.discoveries())
	}
	server.change(func() {
		kind := schema.GroupVersionKind{Group: "g1.example.org", Version: "v1", Kind: "Thing"}
		server.kinds["Thing"] = fixture.Kind{GroupVersionKind: kind, Resource: "things"}
	})
	time.Sleep(250 * time.Millisecond)
	if err := get(); !errors.Is(err, lineage.ErrNotFound) {
		t.Errorf("after the kind was added: %v", err)
	}
}

func TestAPodThatNamesThreeHundredUnknownGroupsCostsNoMoreThanOneThatNamesOne(t *testing.T) {
	world := fixture.Chain("Pod shop/p")
	for i := range 300 {
		ref := unknown(i)
		world.Start.Owners = append(world.Start.Owners, metav1.OwnerReference{
			APIVersion: ref.Group + "/v1", Kind: ref.Kind, Name: ref.Name, UID: ref.UID,
		})
	}
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{})
	outcome := lineage.Trace(t.Context(), world.Start, reader.Begin("shop"))
	if got, ok := outcome.(lineage.Unknown); !ok || !got.Lasting {
		t.Errorf("%T %+v, wanted unknown for good", outcome, outcome)
	}
	if server.discoveries() != 2 || server.reads() != 0 {
		t.Errorf("%d discoveries, %d reads", server.discoveries(), server.reads())
	}
}

func TestANamespaceThatLoopsOverUnknownGroupsCannotMakeUsDiscoverAllTheTime(t *testing.T) {
	world := fixture.Chain("Pod quiet/p < Kafka k")
	server := serve(t, world)
	server.change(func() { delete(server.kinds, "Kafka") })
	reader := newReader(t, server, cluster.Options{RefreshPace: time.Nanosecond})
	if _, err := reader.Begin("loud").Get(t.Context(), unknown(-1)); !errors.Is(err, lineage.ErrNoKind) {
		t.Fatal(err)
	}
	none, later := 0, 0
	for i := range 300 {
		switch _, err := reader.Begin("loud").Get(t.Context(), unknown(i)); {
		case errors.Is(err, lineage.ErrNoKind):
			none++
		case isPlain(err):
			later++
		default:
			t.Fatal(err)
		}
	}
	if none != 3 || later != 297 || server.discoveries() != 5 {
		t.Errorf("%d told, %d put off, %d discoveries; wanted 3, 297 and 5", none, later, server.discoveries())
	}
	server.change(func() { server.kinds = fixture.Kinds() })
	if _, err := reader.Begin("quiet").Get(t.Context(), refOf(world.Find("Kafka", "k"))); err != nil {
		t.Errorf("another namespace, for a kind new to us: %v", err)
	}
}

func TestNamespacesThatMeetUnknownGroupsTogetherShareDiscoveries(t *testing.T) {
	server := serve(t)
	reader := newReader(t, server, cluster.Options{RefreshPace: 200 * time.Millisecond})
	numbers := make(chan int, 300)
	for i := range 300 {
		numbers <- i
	}
	began := time.Now()
	crowd(300, func() {
		i := <-numbers
		if _, err := reader.Begin(fmt.Sprintf("n%d", i)).Get(t.Context(), unknown(i)); !errors.Is(err, lineage.ErrNoKind) {
			t.Error(err)
		}
	})
	if bound := int(time.Since(began)/(200*time.Millisecond)) + 2; server.discoveries() > bound {
		t.Errorf("%d discoveries in %s, wanted at most %d", server.discoveries(), time.Since(began), bound)
	}
}

func TestAGroupWhoseDiscoveryFailsIsNotAGroupWithoutKinds(t *testing.T) {
	world := fixture.Chain("Pod shop/p < Kafka k", "Pod shop/p <- Cluster c")
	server := serve(t, world)
	server.change(func() { server.stale["kafka.strimzi.io"] = true })
	reader := newReader(t, server, cluster.Options{RefreshPace: time.Nanosecond})
	get := func(kind, name string) error {
		_, err := reader.Begin("shop").Get(t.Context(), refOf(world.Find(kind, name)))
		return err
	}
	if err := get("Kafka", "k"); !isPlain(err) {
		t.Errorf("a kind of a group that fails: %v", err)
	}
	if err := get("Cluster", "c"); err != nil {
		t.Errorf("a kind of another group: %v", err)
	}
	server.change(func() { server.stale = map[string]bool{"postgresql.cnpg.io": true} })
	if err := get("Kafka", "k"); err != nil {
		t.Errorf("the kind once its group is back: %v", err)
	}
	world.Find("Cluster", "c").UID = "another" // so that memory does not serve it
	if err := get("Cluster", "c"); err != nil {
		t.Errorf("a kind known before its group failed: %v", err)
	}
}

func TestADiscoveryThatFailsSaysNothing(t *testing.T) {
	server := serve(t)
	server.change(func() {
		server.answer = func(path string) *apierrors.StatusError { return apierrors.NewServiceUnavailable("starting") }
	})
	reader := newReader(t, server, cluster.Options{RefreshPace: time.Nanosecond})
	if _, err := reader.Begin("shop").Get(t.Context(), unknown(1)); !isPlain(err) {
		t.Errorf("got %v", err)
	}
	server.change(func() { server.answer = func(string) *apierrors.StatusError { return nil } })
	if _, err := reader.Begin("shop").Get(t.Context(), unknown(1)); !errors.Is(err, lineage.ErrNoKind) {
		t.Errorf("got %v", err)
	}
}

func TestAKindThatMovesToAnotherVersionIsFollowed(t *testing.T) {
	world := fixture.Chain("Pod shop/p < Kafka k")
	kafka := world.Find("Kafka", "k")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{RefreshPace: time.Nanosecond, Pace: time.Nanosecond})
	get := func() error {
		_, err := reader.Begin("shop").Live().Get(context.Background(), refOf(kafka))
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	server.remove(kafka)
	server.change(func() {
		kind := server.kinds["Kafka"]
		kind.Version = "v1"
		server.kinds["Kafka"] = kind
	})
	server.put(kafka)
	if err := get(); err != nil {
		t.Errorf("in the new version: %v", err)
	}
	server.change(func() { delete(server.kinds, "Kafka") })
	if err := get(); !errors.Is(err, lineage.ErrNoKind) {
		t.Errorf("after the kind was removed: %v", err)
	}
}

func TestAnOldVersionInAReferenceNamesTheSameObject(t *testing.T) {
	world := fixture.Chain("Pod shop/p < Deployment d @ shop/web")
	world.Start.Owners[0].APIVersion = "apps/v1beta1"
	reader := newReader(t, serve(t, world), cluster.Options{})
	resolves(t, world, reader.Begin("shop"))
}
