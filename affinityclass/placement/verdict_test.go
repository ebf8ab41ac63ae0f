package placement_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func TestVerdicts(t *testing.T) {
	full := pod("db", on("a"), asks("cpu", "4"))
	tests := []struct {
		name    string
		state   []any
		pod     *v1.Pod
		verdict placement.Verdict
		short   string
	}{
		{"a candidate is left", []any{node("a")}, pod("web"), placement.Fits, ""},
		{"no node has room, but one would", []any{node("a"), full}, pod("web", asks("cpu", "600m")), placement.NoCapacity, "600m cpu"},
		{"the nearest node says how much", []any{node("a"), full, node("b"), pod("mq", on("b"), asks("cpu", "3"))},
			pod("web", asks("cpu", "1500m")), placement.NoCapacity, "500m cpu"},
		{"no node could ever hold it", []any{node("a")}, pod("web", asks("cpu", "5")), placement.Unsatisfiable, ""},
		{"a full cluster does not hide an impossible selector", []any{node("a"), full}, pod("web", asks("cpu", "1"), selects("disk", "ssd")), placement.Unsatisfiable, ""},
		{"nor an affinity that a free one would break", []any{node("a"), full}, pod("web", asks("cpu", "1"), near("mq", host)), placement.Unsatisfiable, ""},
		{"a constraint elsewhere does not hide that the right node is full", []any{node("a", label("disk", "ssd")), full, node("b")},
			pod("web", asks("cpu", "1"), selects("disk", "ssd")), placement.NoCapacity, "1 cpu"},
		{"a host port is state", []any{node("a"), pod("db", on("a"), hostPort(80))}, pod("web", hostPort(80)), placement.Unsatisfiable, ""},
		{"a neighbour's anti-affinity is state", []any{node("a"), pod("db", on("a"), apart("web", host))}, pod("web"), placement.Unsatisfiable, ""},
		{"the number of Pods is capacity", []any{node("a", allocatable("pods", "1")), pod("db", on("a"))}, pod("web"), placement.NoCapacity, "1 pods"},
		{"no node at all", nil, pod("web"), placement.Unsatisfiable, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := ask(t, cluster(tt.state...), tt.pod)
			short := ""
			if p.Shortfall != nil {
				short = p.Shortfall.Short()
			}
			if p.Verdict != tt.verdict || short != tt.short || p.Transient != (tt.verdict == placement.NoCapacity) {
				t.Errorf("got %s, short %q, transient %v; want %s, short %q", p.Verdict, short, p.Transient, tt.verdict, tt.short)
			}
		})
	}
}

func TestCodes(t *testing.T) {
	for verdict, want := range map[placement.Verdict]int{placement.Fits: 0, placement.Unsatisfiable: 409, placement.NoCapacity: 507} {
		if got := verdict.Code(); got != want {
			t.Errorf("%s: got %d, want %d", verdict, got, want)
		}
	}
}

func TestForcedCandidates(t *testing.T) {
	s := cluster(node("a"), node("b"))
	tests := []struct {
		name   string
		nodes  []string
		want   []string
		forced bool
	}{
		{"none given means all", nil, []string{"a", "b"}, false},
		{"an empty list means none", []string{}, nil, true},
		{"a list means those", []string{"b", "b", "gone"}, []string{"b"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := s.Preview(request(t, pod("web")), placement.Options{Nodes: tt.nodes})
			got := map[string]bool{}
			for _, name := range names(p) {
				got[name] = true
			}
			if len(got) != len(tt.want) || p.Forced != tt.forced || p.Total != len(tt.want) {
				t.Errorf("got %v of %d, forced %v; want %v", names(p), p.Total, p.Forced, tt.want)
			}
			for _, name := range tt.want {
				if !got[name] {
					t.Errorf("%s is no candidate", name)
				}
			}
		})
	}
}

// A node is named by its first failing reason, and the largest group leads.
func TestAggregate(t *testing.T) {
	s := cluster(
		node("a"), node("b"),
		node("c", label("zone", "us-east"), taint("dedicated", "gpu", v1.TaintEffectNoSchedule)),
		node("d", label("zone", "us-east"), allocatable("cpu", "8")), pod("db", on("d"), asks("cpu", "4")),
	)
	p := ask(t, s, pod("web", selects("zone", "us-east"), asks("cpu", "8")))
	want := "2 node(s): nodeSelector zone=us-east not satisfied; " +
		"1 node(s): cpu requests 8, only 4 free; 1 node(s): untolerated NoSchedule taint dedicated=gpu"
	if diff := cmp.Diff(want, p.Aggregate()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAggregateShowsEightGroups(t *testing.T) {
	var state []any
	for i := range 10 {
		state = append(state, node("n"+strconv.Itoa(i), taint("k", strconv.Itoa(i), v1.TaintEffectNoSchedule)))
	}
	got := ask(t, cluster(state...), pod("web")).Reasons()
	if len(got) != 9 || got[0] != "1 node(s): untolerated NoSchedule taint k=0" || got[8] != "and 2 more node(s)" {
		t.Errorf("got %d lines: %q", len(got), got)
	}
}

func TestDroppedNamesTheBlockingPod(t *testing.T) {
	s := cluster(node("a"), pod("db-1", on("a"), app("db"), apart("web", host)), pod("db-0", on("a"), app("db"), apart("web", host)))
	p := ask(t, s, pod("web"))
	last := p.Stages[len(p.Stages)-1]
	got := fmt.Sprint(last.Name, " ", last.Remaining, " ", last.Dropped[0].Node, ": ", last.Dropped[0].Reason)
	want := "pod_anti_affinity 0 a: refused by the anti-affinity of a Pod there: app=web on kubernetes.io/hostname: shop/db-0"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestUnmodelled(t *testing.T) {
	p := ask(t, cluster(node("a")), pod("web", func(p *v1.Pod) {
		p.Spec.Volumes = []v1.Volume{{VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
		p.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu"}}
		p.Spec.SchedulerName = "mine"
	}))
	if diff := cmp.Diff([]string{"DRA allocation", "scheduler mine", "volume binding"}, p.Unmodelled); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	class := ask(t, cluster(node("a")), pod("web", asks("deviceclass.resource.kubernetes.io/gpu", "1")))
	if diff := cmp.Diff([]string{"DRA allocation"}, class.Unmodelled); diff != "" {
		t.Errorf("of a device class (-want +got):\n%s", diff)
	}
	if plain := ask(t, cluster(node("a")), pod("web")); plain.Unmodelled != nil {
		t.Errorf("a plain Pod uses %v", plain.Unmodelled)
	}
}
