package cluster_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

// That there are no releases lets a Pod in, so it is never taken from memory.
func TestReleasesThatAppearAreSeenAtOnce(t *testing.T) {
	world := fixture.Chain("Pod shop/p @ shop/web")
	server := serve(t, world)
	served := false
	server.change(func() {
		delete(server.kinds, "HelmRelease")
		server.also = func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/apis/"+lineage.HelmRelease.Group {
				return false
			}
			if !served {
				http.NotFound(w, r)
				return true
			}
			fmt.Fprint(w, "{}")
			return true
		}
	})
	reader := newReader(t, server, cluster.Options{RefreshPace: time.Nanosecond, MissAge: time.Hour})
	for range 10 {
		outcome := lineage.Trace(t.Context(), world.Start, reader.Begin("shop"))
		if _, ok := outcome.(lineage.Unmanaged); !ok {
			t.Fatalf("without releases: %+v", outcome)
		}
	}
	if server.discoveries() > 2 {
		t.Errorf("%d discoveries", server.discoveries())
	}
	server.change(func() { served, server.kinds = true, fixture.Kinds() })
	resolves(t, world, reader.Begin("shop"))

	// Another kind that is none stays so for its time.
	if _, err := reader.Begin("shop").Get(t.Context(), unknown(1)); !errors.Is(err, lineage.ErrNoKind) {
		t.Errorf("got %v", err)
	}
}
