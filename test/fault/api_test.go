package fault_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// Longer than a lease lives: whoever is elected loses it, and goes on.
func TestTheAPIServerSlowAndBack(t *testing.T) {
	s := first()
	s.survives(t)
	s.says(t, 0, `"elected"`)
	space := governed(t, "api-slow")
	known := newApp(t, space, "known")
	s.remembers(t, known)
	warm := begin(t, asking(world.URL, known))
	warm.works(t)
	unread := known.under(t, "unread")
	from := s.said(t)

	do(t, func() error { return cp.Pause(controlplane.APIServer) })
	t.Cleanup(func() { _ = cp.Resume(controlplane.APIServer) })
	slow := begin(t, asking(world.URL, known))
	cold := begin(t, asking(world.URL, unread), asking(world.URL, unread))
	slow.more(t, 3, good, admitted)
	slow.more(t, 3, bad, refused(http.StatusServiceUnavailable))
	cold.more(t, 2, good, refused(http.StatusServiceUnavailable))
	s.says(t, from, `"not elected"`)
	slow.stop()
	slow.holds(t)
	if n := slow.of(bad, refused(http.StatusForbidden)); n > 0 {
		t.Errorf("%d Pods were denied from memory", n)
	}

	from = s.said(t)
	do(t, func() error { return cp.Resume(controlplane.APIServer) })
	warm.works(t)
	cold.works(t)
	warm.stop()
	cold.stop()
	warm.holds(t)
	cold.holds(t, refused(http.StatusServiceUnavailable))
	s.says(t, from, `"elected"`)
}

func TestEtcdRestarted(t *testing.T) {
	first().survives(t)
	known := newApp(t, governed(t, "etcd-gone"), "known")
	first().remembers(t, known)
	made, warm := begin(t, creating(known)), begin(t, asking(world.URL, known))
	made.works(t)
	warm.works(t)
	unread := known.under(t, "unread")

	do(t, func() error { return cp.Kill(controlplane.Etcd) })
	cold := begin(t, asking(world.URL, unread))
	warm.more(t, 2, good, admitted)
	cold.more(t, 1, good, refused(http.StatusServiceUnavailable))

	do(t, func() error { return cp.Restart(t.Context(), controlplane.Etcd) })
	for _, l := range []*load{made, warm, cold} {
		l.works(t)
		l.stop()
	}
	warm.holds(t)
	cold.holds(t, refused(http.StatusServiceUnavailable))
	made.holds(t, failed, refused(http.StatusServiceUnavailable))
	made.counted(t, known)
}

// What is known by heart is judged without the API server, but nothing is denied.
// And when it comes up again it knows less than it will: no roles, and no kinds
// that objects define. That says nothing about a Pod.
func TestTheAPIServerGoneAndBack(t *testing.T) {
	first().survives(t)
	space := governed(t, "api-gone")
	known := newApp(t, space, "known")
	first().remembers(t, known)
	made, warm := begin(t, creating(known)), begin(t, asking(world.URL, known))
	made.works(t)
	warm.works(t)

	cold := []app{known.under(t, "unread"), known.underDatabase(t, "unread")}
	do(t, func() error { return cp.Kill(controlplane.APIServer) })
	gone := begin(t, asking(world.URL, known))
	unread := begin(t, asking(world.URL, cold[0]), asking(world.URL, cold[1]), askingUnserved(space))
	gone.more(t, 50, good, admitted)
	gone.more(t, 50, bad, refused(http.StatusServiceUnavailable))
	unread.more(t, 20, good, refused(http.StatusServiceUnavailable))
	unread.more(t, 20, bad, refused(http.StatusServiceUnavailable))
	made.more(t, 5, good, failed)
	gone.stop()
	gone.holds(t)
	if n := gone.of(bad, refused(http.StatusForbidden)); n > 0 {
		t.Errorf("%d Pods were denied from memory", n)
	}

	do(t, func() error { return cp.Restart(t.Context(), controlplane.APIServer) })
	back := begin(t, asking(world.URL, cold[0]), asking(world.URL, cold[1]))
	for _, l := range []*load{made, warm, unread, back} {
		l.works(t)
		l.stop()
	}
	warm.holds(t)
	unread.holds(t, refused(http.StatusServiceUnavailable))
	back.holds(t, refused(http.StatusServiceUnavailable))
	made.holds(t, failed, uncalled, refused(http.StatusServiceUnavailable))
	made.counted(t, known)
}

// underDatabase is the application with an owner of a kind that a definition
// makes.
func (a app) underDatabase(t *testing.T, name string) app {
	t.Helper()
	database := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "postgresql.cnpg.io/v1", "kind": "Cluster",
		"metadata": map[string]any{"namespace": a.namespace, "name": name}, "spec": map[string]any{"instances": int64(1)},
	}}
	database.SetLabels(a.flux())
	put(t, database)
	a.owner = owner("postgresql.cnpg.io/v1", "Cluster", name, database.GetUID())
	return a
}

// askingUnserved has Pods judged whose owners are of kinds that nobody serves,
// each of another: they make the server ask what is served.
func askingUnserved(in string) maker {
	n := 0
	return func(ctx context.Context, _ quality) (outcome, string) {
		n++
		pod := podOf(in, "lost-", owner(fmt.Sprintf("g%d.example.org/v1", n), "Ghost", "ghost", "ghost"))
		got, err := send(ctx, world.URL+validate, "application/json", reviewOf(pod))
		if err != nil || got.outcome() == admitted {
			return silent, fmt.Sprint(err, got.body)
		}
		return refused(http.StatusServiceUnavailable), got.body // whatever it is: none is let in
	}
}
