package surge_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

// drawer draws candidates; the same source gives the same.
type drawer struct{ *rand.Rand }

func (d drawer) quantity(name v1.ResourceName, most int64) string {
	switch name {
	case cpu:
		return strconv.FormatInt(100*d.Int64N(most*10), 10) + "m"
	case gpu:
		return strconv.FormatInt(d.Int64N(most), 10)
	default:
		return strconv.FormatInt(d.Int64N(most), 10) + "Gi"
	}
}

func (d drawer) node() *v1.Node {
	n := node("n1", has(cpu, d.quantity(cpu, 9)), has(memory, d.quantity(memory, 9)))
	for _, name := range []v1.ResourceName{gpu, disk} {
		if d.IntN(2) == 0 {
			n.Status.Allocatable[name] = resource.MustParse(d.quantity(name, 9))
		}
	}
	return n
}

func (d drawer) pod(i int) *v1.Pod {
	p := pod("p" + strconv.Itoa(i))
	for _, name := range []v1.ResourceName{cpu, memory, gpu, disk} {
		switch d.IntN(5) {
		case 0:
			asks(name, d.quantity(name, 3))(p)
		case 1:
			if name == cpu || name == memory {
				starts(name, d.quantity(name, 4))(p)
			}
		}
	}
	switch d.IntN(8) {
	case 0:
		daemon(p)
	case 1:
		mirrored(p)
	case 2:
		done(p)
	}
	return p
}

func modes() []surge.Mode { return []surge.Mode{surge.DrainSized, surge.WholeNode} }

func TestPropertiesOfReservations(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	d := drawer{rand.New(rand.NewPCG(seed, 0))}
	reserved, refused, clamped := 0, 0, 0
	for range 5000 {
		c := candidate(d.node())
		for i := range d.IntN(6) {
			c.Pods = append(c.Pods, d.pod(i))
		}
		for _, mode := range modes() {
			r := surge.Reserve(c, mode)
			reserved, refused, clamped = reserved+len(r.Requests), refused+len(r.Refused), clamped+len(r.Clamped)
			withinTheLimit(t, r)
			growsWith(t, c, r, d.pod(99))
		}
		neverLess(t, surge.Reserve(c, surge.DrainSized), surge.Reserve(c, surge.WholeNode))
		if t.Failed() {
			t.Fatalf("candidate %+v", c)
		}
	}
	if reserved == 0 || refused == 0 || clamped == 0 {
		t.Errorf("%d reserved, %d refused, %d clamped: the draw is too tame", reserved, refused, clamped)
	}
}

func withinTheLimit(t *testing.T, r *surge.Reservation) {
	t.Helper()
	for name, amount := range r.Requests {
		if amount > r.Limit[name] || amount <= 0 {
			t.Errorf("%s requests %d of %s, limit %d", r.Mode, amount, name, r.Limit[name])
		}
		if name == v1.ResourcePods {
			t.Errorf("%s requests Pods", r.Mode)
		}
		if r.Drain[name] > r.Limit[name] != (r.Clamped[name] > 0) {
			t.Errorf("%s of %s: drain %d, limit %d, clamped %d", r.Mode, name, r.Drain[name], r.Limit[name], r.Clamped[name])
		}
	}
}

// neverLess holds where neither refuses: a refusal asks nothing at all.
func neverLess(t *testing.T, drain, whole *surge.Reservation) {
	t.Helper()
	if !whole.Reserves() {
		if len(drain.Refused) == 0 && len(drain.Requests) > 0 {
			t.Errorf("whole-node refuses %v, drain-sized requests %v", whole.Refused, drain.Requests)
		}
		return
	}
	for name, amount := range drain.Requests {
		if whole.Requests[name] < amount {
			t.Errorf("whole-node requests %d of %s, drain-sized %d", whole.Requests[name], name, amount)
		}
	}
}

// growsWith adds a Pod that has to move: nothing that was asked is asked less of,
// and what was refused stays so.
func growsWith(t *testing.T, c *surge.Candidate, before *surge.Reservation, more *v1.Pod) {
	t.Helper()
	more.OwnerReferences[0].Kind, more.Annotations, more.Status.Phase = "ReplicaSet", nil, ""
	after := surge.Reserve(candidate(c.Node, append(c.Pods, more)...), before.Mode)
	if before.Pods > 0 && len(before.Refused) > 0 && len(before.Drain) > 0 && len(after.Refused) == 0 {
		t.Errorf("%s refused %v until a Pod was added", before.Mode, before.Refused)
	}
	if len(after.Refused) > 0 {
		return
	}
	for name, amount := range before.Requests {
		if after.Requests[name] < amount {
			t.Errorf("%s requests %d of %s, with a Pod more %d", before.Mode, amount, name, after.Requests[name])
		}
	}
}
