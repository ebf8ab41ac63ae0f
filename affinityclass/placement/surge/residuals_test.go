package surge_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

func TestResiduals(t *testing.T) {
	leaves := pod("a-1", on("n1"), asks(cpu, "1"))
	agent := pod("d-1", daemon, on("n1"), asks(cpu, "1"))
	tests := []struct {
		name    string
		objects []any
		want    []surge.Residual
	}{
		{"an empty host is none", []any{node("n1"), node("n2"), leaves}, nil},
		{"a larger host", []any{node("n1"), node("n2", has(cpu, "8"), has(memory, "32Gi")), leaves, pod("b", on("n2"), asks(cpu, "2"), asks(memory, "1Gi"))},
			[]surge.Residual{{Host: "n2", Name: surge.LargerHost, Detail: "cpu 8, the candidate has 4; memory 32Gi, the candidate has 16Gi"}}},
		{"less DaemonSet overhead", []any{node("n1"), node("n2"), leaves, agent, pod("b", on("n2"), asks(cpu, "1"))},
			[]surge.Residual{{Host: "n2", Name: surge.LighterOverhead, Detail: "DaemonSets request 0 of cpu, on the candidate 1"}}},
		{"Pods that weigh nothing", []any{node("n1"), node("n2"), leaves, pod("b", on("n2")), pod("c", on("n2"), asks(disk, "0"))},
			[]surge.Residual{{Host: "n2", Name: surge.WeightlessPods, Detail: "shop/b, shop/c"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, audit(t, question(tt.objects...)).Residuals); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// There is no fourth way: an occupied host that takes a whole node's worth does so
// for one of the reasons that are named.
func TestEveryOccupiedHostIsExplained(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	d := drawer{rand.New(rand.NewPCG(seed, 0))}
	occupied := 0
	for range 1000 {
		objects := []any{node("n1", has(cpu, d.quantity(cpu, 5)), has(memory, d.quantity(memory, 5)))}
		for i := range 4 {
			objects = append(objects, node("h"+strconv.Itoa(i), has(cpu, d.quantity(cpu, 9)), has(memory, d.quantity(memory, 9))))
		}
		busy := map[string]bool{}
		for i := range d.IntN(12) {
			p := d.pod(i)
			delete(p.Spec.Containers[0].Resources.Requests, gpu)
			delete(p.Spec.Containers[0].Resources.Requests, disk)
			on([]string{"n1", "h0", "h1", "h2", "h3"}[d.IntN(5)])(p)
			objects = append(objects, p)
			busy[p.Spec.NodeName] = busy[p.Spec.NodeName] || p.OwnerReferences[0].Kind != "DaemonSet" && p.Status.Phase == ""
		}
		r := audit(t, question(objects...))
		named := map[string]bool{}
		for _, residual := range r.Residuals {
			named[residual.Host] = true
		}
		for _, host := range r.WholeNode.Absorb {
			if busy[host] != named[host] && len(r.WholeNode.Requests) == 2 {
				t.Fatalf("%s takes %v, occupied: %t, residuals %v", host, r.WholeNode.Requests, busy[host], r.Residuals)
			}
			if busy[host] {
				occupied++
			}
		}
	}
	if occupied < 40 {
		t.Errorf("%d occupied hosts absorb: the draw is too tame", occupied)
	}
}
