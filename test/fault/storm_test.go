package fault_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/platform"
)

// Ten thousand reviews from two hundred callers at once, good and bad, of ReplicaSets
// that no server has seen; and at the same time real Pods, made by a real
// ReplicaSet. Every one is answered, and for what it is.
func TestTenThousandPodsAtOnce(t *testing.T) {
	s := replica(t, "storm", platform.Options{})
	s.survives(t)
	space := governed(t, "storm")
	apps := make([]app, 10)
	for i := range apps {
		apps[i] = newApp(t, space, fmt.Sprintf("app-%d", i))
	}
	const callers, each, real = 200, 50, 300
	before, held := s.scrape(t), s.memory(t)
	set := apps[0].replicaSet("real")
	set.Spec.Replicas, set.Spec.Template.Spec = new(int32(real)), podSpec("dc1")
	put(t, set)

	got := newTally()
	start := time.Now()
	var wait sync.WaitGroup
	for i := range callers {
		wait.Go(func() {
			ask := asking(s.URL, apps[i%len(apps)])
			for n := range each {
				q := []quality{good, bad}[n%2]
				outcome, said := ask(t.Context(), q)
				got.add(answer{q, outcome}, said)
			}
		})
	}
	wait.Wait()
	took := time.Since(start)
	t.Logf("%d reviews in %s: %.0f a second", got.total(), took.Round(time.Millisecond), float64(got.total())/took.Seconds())
	t.Logf("the server held %.0f MiB before and %.0f MiB after", held, s.memory(t))
	got.holds(t, refused(http.StatusServiceUnavailable))
	if n := got.total(); n != callers*each {
		t.Errorf("%d answers, wanted %d", n, callers*each)
	}
	late := got.of(good, refused(503)) + got.of(bad, refused(503))
	if got.of(bad, refused(403))+got.of(good, admitted)+late != callers*each {
		t.Errorf("some answers are none of those that there may be: %s", got)
	}
	got.happened(t, good, admitted)
	got.happened(t, bad, refused(403))
	counted := grew(before, s.scrape(t), "affinity_review_total") + grew(before, s.scrape(t), `affinity_review_failed_total{why="overload"}`)
	if counted != callers*each {
		t.Errorf("the metrics counted %v reviews, wanted %d", counted, callers*each)
	}

	eventually(t, func() error {
		var pods corev1.PodList
		err := world.Client.List(t.Context(), &pods, client.InNamespace(space), client.MatchingLabels{"app": "real"})
		if err == nil && len(pods.Items) != real {
			err = fmt.Errorf("%d real Pods, wanted %d", len(pods.Items), real)
		}
		return err
	})
	after := begin(t, asking(s.URL, apps[1]))
	after.works(t)
	after.stop()
	after.holds(t)
	do(t, func() error { return world.Client.Delete(t.Context(), set, client.PropagationPolicy("Background")) })
}
