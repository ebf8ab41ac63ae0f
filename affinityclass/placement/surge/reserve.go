package surge

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Mode is how large the placeholder is. It changes the placeholder's requests and
// nothing else.
type Mode string

const (
	// DrainSized asks for what the drain requests.
	DrainSized Mode = "drain-sized"
	// WholeNode asks for all that the candidate has beside its DaemonSets: of cpu
	// and memory always, of another resource when the drain requests it. It
	// narrows the hosts that take the placeholder; it is no statement that such a
	// host is empty.
	WholeNode Mode = "whole-node"
)

// Reservation is what a placeholder asks, and why.
type Reservation struct {
	Mode Mode
	// Pods is how many Pods have to land elsewhere. Their number decides whether
	// something is reserved, not what they request.
	Pods  int
	Drain placement.Amounts // what they request together
	Limit placement.Amounts // the candidate's allocatable less its DaemonSets
	// Requests is what the placeholder asks. It is nil when there is nothing to
	// reserve, and when something is refused: a placeholder without that resource
	// would look ready while the resource is not reserved.
	Requests placement.Amounts
	// Clamped is by how much the drain exceeds the limit, where it does.
	Clamped placement.Amounts
	Refused []Refusal // by resource
}

// Refusal is a resource of which nothing can be reserved under the candidate's
// limit.
type Refusal struct {
	Resource v1.ResourceName
	Limit    int64 // at most 0
}

// String says what was observed, and no more than that.
func (r Refusal) String() string {
	return fmt.Sprintf("%s: the node's allocatable less its DaemonSets is %s, so none can be reserved; "+
		"this speaks of this node and this resource alone: another node type, or fewer DaemonSets, may have room, "+
		"and these examples are not exhaustive",
		r.Resource, quantity(r.Resource, r.Limit))
}

// Reserve sizes the placeholder for a candidate.
func Reserve(c *Candidate, mode Mode) *Reservation {
	r := &Reservation{Mode: mode, Pods: len(c.Reschedulable()), Drain: c.drain(), Limit: c.limit()}
	if r.Pods == 0 {
		return r
	}
	r.refuse()
	if len(r.Refused) == 0 {
		r.clamp(r.wanted())
	}
	return r
}

// refuse names what the drain requests and the candidate has none of; and, where
// the drain requests nothing, what a whole node's worth would have been made of.
func (r *Reservation) refuse() {
	asked := slices.Sorted(maps.Keys(r.Drain))
	if len(asked) == 0 && r.Mode == WholeNode {
		asked = raised()
	}
	for _, name := range asked {
		if limit := r.Limit[name]; limit <= 0 {
			r.Refused = append(r.Refused, Refusal{name, limit})
		}
	}
}

// wanted is what the mode asks before the clamp. A limit that is not positive is
// never raised to.
func (r *Reservation) wanted() placement.Amounts {
	wanted := maps.Clone(r.Drain)
	if r.Mode != WholeNode {
		return wanted
	}
	for _, name := range slices.Concat(raised(), slices.Collect(maps.Keys(r.Drain))) {
		if limit := r.Limit[name]; limit > wanted[name] {
			wanted[name] = limit
		}
	}
	return wanted
}

// raised are the resources that a whole node's worth is made of, whatever the
// drain requests: those by which nodes are packed.
func raised() []v1.ResourceName { return []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} }

// clamp cuts what is wanted at the limit.
func (r *Reservation) clamp(wanted placement.Amounts) {
	r.Requests, r.Clamped = placement.Amounts{}, placement.Amounts{}
	for name, amount := range wanted {
		limit := r.Limit[name]
		r.Requests[name] = min(amount, limit)
		if amount > limit {
			r.Clamped[name] = amount - limit
		}
	}
}

// Reserves says whether there is a placeholder to make. One that asks nothing, for
// Pods that request nothing, still takes a Pod's place.
func (r *Reservation) Reserves() bool { return r.Pods > 0 && len(r.Refused) == 0 }

// Extra is what is asked beyond what the drain requests.
func (r *Reservation) Extra() placement.Amounts {
	extra := placement.Amounts{}
	for name, amount := range r.Requests {
		if amount > r.Drain[name] {
			extra[name] = amount - r.Drain[name]
		}
	}
	return extra
}

func quantity(name v1.ResourceName, amount int64) string {
	q := placement.Quantity(name, amount)
	return q.String()
}
