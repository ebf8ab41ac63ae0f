package surge

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Size is a reservation and where its placeholder could land.
type Size struct {
	*Reservation
	// Absorb are the existing nodes that could take the placeholder, sorted. When
	// there are none, only a new node could, unless OverQuota.
	Absorb   []string
	Excluded []Exclusion // the other nodes, by name
	// OverQuota is why a quota of the placeholder's namespace refuses it, on a new node
	// as well; nil when none does.
	OverQuota *placement.Reason
	// Unplaced are the Pods that some absorbing host refuses: where the placeholder
	// lands there, it reserves nothing for them. Sorted.
	Unplaced []types.NamespacedName
	Headroom Headroom // empty when there is no limit to hold it to
	Short    placement.Amounts
}

// Exclusion is a node that cannot take the placeholder.
type Exclusion struct {
	Node   string
	Stage  string
	Reason *placement.Reason
}

// sizes sizes the placeholder both ways, and finds where each could land.
func (a *audit) sizes() error {
	for _, mode := range []Mode{DrainSized, WholeNode} {
		size := &Size{Reservation: Reserve(a.candidate, mode)}
		if mode == DrainSized {
			a.report.DrainSized = size
		} else {
			a.report.WholeNode = size
		}
		if _, err := a.Placeholder.required(a.candidate.Node); err != nil {
			return err
		}
		if !size.Reserves() {
			continue
		}
		if err := a.land(size); err != nil {
			return err
		}
		if a.Budget != nil {
			size.Headroom, size.Short = a.Budget.Check(size.Reservation)
		}
	}
	return nil
}

func (a *audit) land(size *Size) error {
	pod, request, err := a.request(size.Reservation, a.Placeholder.Same)
	if err != nil {
		return err
	}
	if size.Mode == a.Mode {
		a.report.Placeholder = pod
	}
	size.OverQuota = a.cordoned.OverQuota(request)
	preview := a.cordoned.Preview(request, placement.Options{})
	size.Absorb = candidates(preview)
	for _, stage := range preview.Stages {
		for _, drop := range stage.Dropped {
			size.Excluded = append(size.Excluded, Exclusion{drop.Node, stage.Name, drop.Reason})
		}
	}
	slices.SortFunc(size.Excluded, func(a, b Exclusion) int { return cmp.Compare(a.Node, b.Node) })
	return nil
}

func candidates(p *placement.Preview) []string {
	names := make([]string, len(p.Candidates))
	for i := range p.Candidates {
		names[i] = p.Candidates[i].Node
	}
	slices.Sort(names)
	return names
}

// unplaced gathers what the absorbing hosts of this size refuse.
func (s *Size) unplaced(hosts []Host) {
	pods := map[types.NamespacedName]bool{}
	for _, host := range hosts {
		if _, absorbs := slices.BinarySearch(s.Absorb, host.Node); !absorbs {
			continue
		}
		for _, refused := range host.Refused {
			if !pods[refused.Pod] {
				pods[refused.Pod] = true
				s.Unplaced = append(s.Unplaced, refused.Pod)
			}
		}
	}
	s.Unplaced = sortKeys(s.Unplaced)
}
