package surge

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Place is where a Pod that leaves could land among all nodes that stay.
type Place struct {
	Pod  types.NamespacedName
	Node string // empty when it found none after those before it
	// Possible, of a Pod without a place, are the nodes that might still take it if
	// the others landed otherwise. None: no node takes it as things stand, or a quota
	// refuses it, which no node changes.
	Possible []string
	Preview  *placement.Preview
}

// Nowhere says that no node takes the Pod, whatever becomes of the others.
func (p *Place) Nowhere() bool { return p.Node == "" && len(p.Possible) == 0 }

// OverQuota is why a quota refuses the Pod, nil when none does.
func (p *Place) OverQuota() *placement.Reason {
	for _, stage := range p.Preview.Stages {
		if stage.Name == quotaStage && len(stage.Dropped) > 0 {
			return stage.Dropped[0].Reason
		}
	}
	return nil
}

const quotaStage = "quota" // of package placement

// Class is how far the refusals reach: node-level when one of the nodes refuses
// the Pod for what is on it or what it is, unless a quota refuses it everywhere.
func (p *Place) Class() Class {
	if p.OverQuota() != nil {
		return Coarser
	}
	for _, stage := range p.Preview.Stages {
		for _, drop := range stage.Dropped {
			if Classify(stage.Name, drop.Reason) == NodeLevel {
				return NodeLevel
			}
		}
	}
	return Coarser
}

// elsewhere places the Pods one after another; in the order of Leaving.
func (a *audit) elsewhere() []Place {
	places := make([]Place, len(a.requests))
	for _, preview := range a.drained.Rank(a.requests, placement.Options{}) {
		place := Place{Pod: a.report.Leaving[preview.Index], Node: preview.Winner, Preview: preview}
		if place.Node == "" && place.OverQuota() == nil {
			place.Possible = a.possible(preview.Index)
		}
		places[preview.Index] = place
	}
	return places
}

// possible are the nodes that might take a Pod, wherever the others land.
func (a *audit) possible(at int) []string {
	others := slices.Delete(slices.Clone(a.requests), at, at+1)
	return a.drained.Possible(a.requests[at], others)
}

// Accepts lists, for every Pod that a drain makes leave, the nodes that might take
// it, wherever the others land and in whatever order; by the Pod's name, sorted. A
// Pod that is bound to another node was bound in another state of the cluster.
func Accepts(q *Question) (map[types.NamespacedName][]string, error) {
	a, err := begin(q)
	if err != nil {
		return nil, err
	}
	accepts := make(map[types.NamespacedName][]string, len(a.requests))
	for i, key := range a.report.Leaving {
		accepts[key] = a.possible(i)
	}
	return accepts, nil
}
