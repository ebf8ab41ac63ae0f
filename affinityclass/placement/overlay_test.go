package placement_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// What a rank has placed counts for the next request exactly as if it were
// placed in the snapshot.
func TestRankSeesWhatASnapshotWould(t *testing.T) {
	for _, first := range strangers() {
		for _, second := range strangers() {
			second.Name += "-too"
			requests := []*placement.Request{request(t, first), request(t, second)}
			previews := placement.Rank(cluster(town()...), requests, placement.Options{})
			if previews[0].Winner == "" {
				continue
			}
			bound := first.DeepCopy()
			bound.Spec.NodeName = previews[0].Winner
			want := ask(t, cluster(append(town(), bound)...), second)
			want.Index = 1
			if diff := cmp.Diff(want, previews[1], cmp.AllowUnexported(placement.Reason{})); diff != "" {
				t.Errorf("%s after %s (-snapshot +rank):\n%s", second.Name, first.Name, diff)
			}
		}
	}
}

// The requester's objects may change after they were given.
func TestNothingOfTheCallersIsKept(t *testing.T) {
	n, p := node("a", label("disk", "ssd")), pod("web", selects("disk", "ssd"))
	s := cluster(n)
	r := request(t, p)
	n.Labels["disk"], p.Spec.NodeSelector["disk"] = "hdd", "tape"
	n.Status.Allocatable[v1.ResourcePods] = resource.MustParse("0")
	if got := s.Preview(r, placement.Options{}); got.Winner != "a" {
		t.Errorf("got %s", got.Aggregate())
	}
}
