package cluster_test

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

func TestWhatAnAPIServerSaysWhileItComesUpIsNotLasting(t *testing.T) {
	world := fixture.Chain("Pod shop/p < Kafka k", "Pod shop/p <- Cluster c")
	server := serve(t, world)
	reader := newReader(t, server, cluster.Options{RefreshPace: time.Nanosecond, Pace: time.Nanosecond, MissAge: time.Hour})
	get := func(kind, name string) error {
		_, err := reader.Begin("shop").Live().Get(t.Context(), refOf(world.Find(kind, name)))
		return err
	}
	if err := get("Cluster", "c"); err != nil {
		t.Fatal(err)
	}

	// As it comes up: no roles, and no kinds that objects define.
	server.change(func() {
		server.answer = comingUp
		delete(server.kinds, "Kafka")
	})
	if err := get("Cluster", "c"); !isPlain(err) || apierrors.IsForbidden(err) {
		t.Errorf("forbidden too early: %v", err)
	}
	server.change(func() { server.answer = notReady })
	if err := get("Kafka", "k"); !isPlain(err) {
		t.Errorf("a kind not listed too early: %v", err)
	}

	server.change(func() {
		server.answer = func(string) *apierrors.StatusError { return nil }
		server.kinds = fixture.Kinds()
	})
	for kind, name := range map[string]string{"Cluster": "c", "Kafka": "k"} {
		if err := get(kind, name); err != nil {
			t.Errorf("%s, once it is up: %v", kind, err)
		}
	}
}

// The read came first and the API server was ready a moment later: what it said
// is asked again.
func TestARefusalIsAskedAgainOnceTheAPIServerIsReady(t *testing.T) {
	world := fixture.Chain("Pod shop/p < Kafka k")
	server := serve(t, world)
	up := false
	server.change(func() {
		server.answer = func(path string) *apierrors.StatusError {
			switch path {
			case "/readyz":
				up = true
			case server.path(world.Find("Kafka", "k")):
				if !up {
					return forbidden
				}
			}
			return nil
		}
	})
	reader := newReader(t, server, cluster.Options{})
	resolvesTo := refOf(world.Find("Kafka", "k"))
	if found, err := reader.Begin("shop").Get(t.Context(), resolvesTo); err != nil || found.Name != "k" {
		t.Errorf("got %v, %v", found, err)
	}
}

var forbidden = apierrors.NewForbidden(schema.GroupResource{}, "x", errors.New("no role"))

// comingUp forbids all that roles decide, whether it is ready among them.
func comingUp(string) *apierrors.StatusError { return forbidden }

func notReady(path string) *apierrors.StatusError {
	if path == "/readyz" {
		return apierrors.NewInternalError(errors.New("not ready"))
	}
	return nil
}
