package surge

import "github.com/cozystack/affinityclass/affinityclass/placement"

// Budget is a limit that the user keeps, such as that of a node pool, and what is
// in use of it.
type Budget struct{ Limit, InUse placement.Amounts }

// Headroom is what a limit says of a reservation.
type Headroom string

const (
	// Sufficient says that the reservation fits below the limit now.
	Sufficient Headroom = "Sufficient"
	// InsufficientHeadroom says that it does not.
	InsufficientHeadroom Headroom = "InsufficientHeadroom"
)

// Check holds a reservation to the limit, and says by how much each resource is
// short. It is a check beforehand and not an invariant: what is in use may change
// before the placeholder is created.
func (b *Budget) Check(r *Reservation) (Headroom, placement.Amounts) {
	short := placement.Amounts{}
	for name, limit := range b.Limit {
		if amount := r.Requests[name] + b.InUse[name] - limit; r.Requests[name] > 0 && amount > 0 {
			short[name] = amount
		}
	}
	if len(short) > 0 {
		return InsufficientHeadroom, short
	}
	return Sufficient, nil
}
