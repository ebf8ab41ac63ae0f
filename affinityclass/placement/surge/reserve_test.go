package surge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

const gpu, cpu, memory, disk = v1.ResourceName("example.com/gpu"), v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage

func TestReserve(t *testing.T) {
	small := node("n1", has(memory, "4Gi"))
	shared := candidate(small, pod("a", asks(cpu, "1")), pod("d", daemon, asks(cpu, "500m"), asks(memory, "1Gi")))
	tests := []struct {
		name, reason string
		candidate    *surge.Candidate
		drain, whole map[string]string // requests; nil for none
	}{
		{"no Pods, no placeholder", "there is nothing to land anywhere", candidate(small), nil, nil},
		{"what does not move is not counted", "DaemonSet Pods, mirrors and finished Pods stay or are gone",
			candidate(small, pod("d", daemon, asks(cpu, "1")), pod("m", mirrored, asks(cpu, "1")), pod("f", done, asks(cpu, "1"))), nil, nil},
		{"the drain is the sum", "the placeholder is one Pod",
			candidate(small, pod("a", asks(cpu, "1")), pod("b", asks(cpu, "500m"), asks(memory, "1Gi"))),
			map[string]string{"cpu": "1500m", "memory": "1Gi"}, map[string]string{"cpu": "4", "memory": "4Gi"}},
		{"both packing dimensions are raised, whatever the drain asks", "a host full of memory still has its cpu free",
			shared, map[string]string{"cpu": "1"}, map[string]string{"cpu": "3500m", "memory": "3Gi"}},
		{"Pods that request nothing are reserved for", "their number decides, not the sum",
			candidate(small, pod("a")), map[string]string{}, map[string]string{"cpu": "4", "memory": "4Gi"}},
		{"a drain above the limit is cut in both modes", "whole-node leaves it to the clamp",
			candidate(small, pod("a", asks(cpu, "6"))), map[string]string{"cpu": "4"}, map[string]string{"cpu": "4", "memory": "4Gi"}},
		{"an accelerator is raised only when the drain asks one", "a node's accelerators would block far more than the drain",
			candidate(node("n1", has(gpu, "8"), has(memory, "4Gi")), pod("a", asks(cpu, "1"))),
			map[string]string{"cpu": "1"}, map[string]string{"cpu": "4", "memory": "4Gi"}},
		{"and then wholly", "what the drain requests is a whole node's worth",
			candidate(node("n1", has(gpu, "8"), has(memory, "4Gi")), pod("a", asks(gpu, "1"))),
			map[string]string{"example.com/gpu": "1"}, map[string]string{"cpu": "4", "memory": "4Gi", "example.com/gpu": "8"}},
		{"so with ephemeral storage", "it is not packed by either",
			candidate(node("n1", has(disk, "10Gi"), has(memory, "4Gi")), pod("a", asks(disk, "1Gi"))),
			map[string]string{"ephemeral-storage": "1Gi"}, map[string]string{"cpu": "4", "memory": "4Gi", "ephemeral-storage": "10Gi"}},
		{"init containers and sidecars count as the scheduler counts them", "the greater of one by one and together",
			candidate(small, pod("a", asks(cpu, "1"), starts(cpu, "2")), pod("b", asks(cpu, "100m"), starts(cpu, "300m", sidecar))),
			map[string]string{"cpu": "2400m"}, map[string]string{"cpu": "4", "memory": "4Gi"}},
		{"a limit that is not positive is not raised to", "the drain asks no memory, and none can be asked",
			candidate(small, pod("a", asks(cpu, "1")), pod("d", daemon, asks(memory, "5Gi"))),
			map[string]string{"cpu": "1"}, map[string]string{"cpu": "4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for mode, want := range map[surge.Mode]map[string]string{surge.DrainSized: tt.drain, surge.WholeNode: tt.whole} {
				r := surge.Reserve(tt.candidate, mode)
				if diff := cmp.Diff(want, texts(r.Requests)); diff != "" {
					t.Errorf("%s: %s\n%s", mode, tt.reason, diff)
				}
				if r.Reserves() != (want != nil) || len(r.Refused) > 0 {
					t.Errorf("%s reserves: %t, refused %v", mode, r.Reserves(), r.Refused)
				}
			}
		})
	}
}

func texts(all placement.Amounts) map[string]string {
	if all == nil {
		return nil
	}
	found := map[string]string{}
	for name, q := range all.List() {
		found[string(name)] = q.String()
	}
	return found
}

func TestReserveTellsTheShortfall(t *testing.T) {
	c := candidate(node("n1"), pod("a", asks(cpu, "6"), asks(memory, "1Gi")), pod("d", daemon, asks(cpu, "500m")))
	for _, mode := range []surge.Mode{surge.DrainSized, surge.WholeNode} {
		r := surge.Reserve(c, mode)
		if diff := cmp.Diff(map[string]string{"cpu": "2500m"}, texts(r.Clamped)); diff != "" {
			t.Errorf("%s clamped (-want +got):\n%s", mode, diff)
		}
	}
}

func TestReserveRefuses(t *testing.T) {
	full := []*v1.Pod{pod("d", daemon, asks(memory, "17Gi"))}
	tests := []struct {
		name, reason string
		pods         []*v1.Pod
		drain, whole []v1.ResourceName
	}{
		{"what the drain requests and the node has none of", "no clamp under that limit reserves any of it",
			append(full, pod("a", asks(memory, "1Gi"), asks(cpu, "1"))), []v1.ResourceName{memory}, []v1.ResourceName{memory}},
		{"a resource the node does not know", "its limit is 0", []*v1.Pod{pod("a", asks(gpu, "1"))}, []v1.ResourceName{gpu}, []v1.ResourceName{gpu}},
		{"a whole node's worth of nothing, for Pods that request nothing", "never an empty placeholder",
			append(full, pod("a")), nil, []v1.ResourceName{memory}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for mode, want := range map[surge.Mode][]v1.ResourceName{surge.DrainSized: tt.drain, surge.WholeNode: tt.whole} {
				r := surge.Reserve(candidate(node("n1"), tt.pods...), mode)
				var got []v1.ResourceName
				for _, refusal := range r.Refused {
					got = append(got, refusal.Resource)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s refused: %s\n%s", mode, tt.reason, diff)
				}
				if len(got) > 0 && (r.Requests != nil || r.Reserves()) {
					t.Errorf("%s refuses and still requests %v", mode, r.Requests)
				}
			}
		})
	}
}

func TestARefusalSpeaksOfWhatWasObserved(t *testing.T) {
	r := surge.Reserve(candidate(node("n1"), pod("a", asks(memory, "1Gi")), pod("d", daemon, asks(memory, "17Gi"))), surge.WholeNode)
	want := "memory: the node's allocatable less its DaemonSets is -1Gi, so none can be reserved; " +
		"this speaks of this node and this resource alone: another node type, or fewer DaemonSets, may have room, and these examples are not exhaustive"
	if len(r.Refused) != 1 || r.Refused[0].String() != want {
		t.Errorf("got %v", r.Refused)
	}
}

func TestHeadroom(t *testing.T) {
	budget := surge.Budget{Limit: placement.Amounts{cpu: 16000}, InUse: placement.Amounts{cpu: 13000}}
	c := candidate(node("n1"), pod("a", asks(cpu, "2"), asks(memory, "1Gi")))
	if verdict, short := budget.Check(surge.Reserve(c, surge.DrainSized)); verdict != surge.Sufficient || len(short) > 0 {
		t.Errorf("drain-sized: %s, short %v", verdict, short)
	}
	verdict, short := budget.Check(surge.Reserve(c, surge.WholeNode))
	if diff := cmp.Diff(map[string]string{"cpu": "1"}, texts(short)); verdict != surge.InsufficientHeadroom || diff != "" {
		t.Errorf("whole-node: %s, short %s", verdict, diff)
	}
}

func TestADaemonSetIsOfTheGroupApps(t *testing.T) {
	other := pod("a", on("n1"), daemon, asks(cpu, "1"), func(p *v1.Pod) { p.OwnerReferences[0].APIVersion = "example.com/v1" })
	if got := candidate(node("n1"), other, pod("b", on("n1"), daemon)).Reschedulable(); len(got) != 1 || got[0] != other {
		t.Errorf("a Pod of another group's DaemonSet has to land elsewhere, got %v", got)
	}
}
