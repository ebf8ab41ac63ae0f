package fault_test

import (
	"fmt"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/platform"
)

// As the chart's preStop has it: the endpoint goes first, then the server is asked
// to end, with connections open and reviews on them.
func TestAReplicaThatIsAskedToEndFailsNoReview(t *testing.T) {
	leaving := replica(t, "leaving", platform.Options{})
	service.serve(leaving.name, leaving.URL)
	t.Cleanup(func() { service.withdraw(leaving.name) })
	known := newApp(t, governed(t, "drain"), "known")
	leadTo(t, leaving, known)

	made, straight := begin(t, creating(known)), begin(t, asking(service.url, known), asking(service.url, known))
	made.works(t)
	straight.works(t)
	service.withdraw(leaving.name)
	do(t, func() error { return cp.Terminate(leaving.name) })
	for _, l := range []*load{made, straight} {
		l.works(t)
		l.stop()
		l.holds(t)
	}
	if n := service.connections()[leaving.name]; n > 0 {
		t.Errorf("%d connections to a replica that has ended", n)
	}
	made.counted(t, known)
}

// Nothing goes before: the service leads to a replica that is gone.
func TestAReplicaKilledAndAnotherElected(t *testing.T) {
	doomed, survivor := first(), replica(t, "survivor", platform.Options{})
	service.serve(survivor.name, survivor.URL)
	t.Cleanup(func() { service.withdraw(survivor.name) })
	known := newApp(t, governed(t, "killed"), "known")
	doomed.says(t, 0, `"elected"`)
	leader, survived := holder(t), survivor.started(t)
	both := begin(t, asking(doomed.URL, known), asking(survivor.URL, known))
	both.works(t)
	both.stop()
	both.holds(t)
	leadTo(t, doomed, known)

	made, straight := begin(t, creating(known)), begin(t, asking(survivor.URL, known))
	made.works(t)
	do(t, func() error { return cp.Kill(doomed.name) })
	service.withdraw(doomed.name)
	made.works(t)
	survivor.says(t, 0, `"elected"`)
	if now := holder(t); now == leader || now == "" {
		t.Errorf("the lease is held by %q, wanted another than %q", now, leader)
	}
	do(t, func() error { return cp.Restart(t.Context(), doomed.name) })
	service.serve(doomed.name, doomed.URL)
	returned := begin(t, asking(doomed.URL, known))
	for _, l := range []*load{made, straight, returned} {
		l.works(t)
		l.stop()
	}
	made.holds(t, uncalled)
	straight.holds(t)
	returned.holds(t)
	made.counted(t, known)
	if survivor.started(t) != survived {
		t.Error("the survivor is no more the process it was")
	}

	// Let go by the one that leaves, the lease is taken by the other.
	from := doomed.said(t)
	do(t, func() error { return cp.Terminate(survivor.name) })
	doomed.says(t, from, `"elected"`)
}

// A replica that hangs is worse than one that is gone: its connections stay. Each
// Pod then waits for the webhook's timeout, and none is let in by it.
func TestAReplicaHangsAndGoesOn(t *testing.T) {
	s := first()
	s.survives(t)
	known := newApp(t, governed(t, "hangs"), "known")
	made := begin(t, creating(known), creating(known))
	made.works(t)
	do(t, func() error { return cp.Pause(s.name) })
	t.Cleanup(func() { _ = cp.Resume(s.name) })
	made.more(t, 1, good, uncalled)
	made.more(t, 1, bad, uncalled)
	do(t, func() error { return cp.Resume(s.name) })
	made.works(t)
	made.stop()
	made.holds(t, uncalled)
	made.counted(t, known)
}

// leadTo makes the callers' connections until some lead to the replica.
func leadTo(t *testing.T, s server, a app) {
	t.Helper()
	calls := begin(t, trying(a), asking(service.url, a))
	cutUntil(t, connected(s.name))
	calls.works(t)
	calls.stop()
	calls.holds(t, uncalled, silent)
}

// connected is an error until the API server's calls go to a replica.
func connected(name string) func() error {
	return func() error {
		if service.connections()[name] == 0 {
			return fmt.Errorf("no connection to %s", name)
		}
		return nil
	}
}

// holder is who holds the lease of the election.
func holder(t *testing.T) string {
	t.Helper()
	var lease coordinationv1.Lease
	key := client.ObjectKey{Namespace: platform.Namespace, Name: "affinity-webhook.cozystack.io"}
	if err := world.Client.Get(t.Context(), key, &lease); err != nil {
		t.Fatal(err)
	}
	return *lease.Spec.HolderIdentity
}
