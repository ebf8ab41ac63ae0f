package placement

import (
	"fmt"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// inform says whether a preference of the binary value had a choice, and whether
// a requirement waits for the Pod's own like. A placement without a choice
// neither honours nor violates the preference.
func (r *run) inform(p *Preview) {
	if !r.spend(p.Total) {
		return
	}
	if p.Verdict == Unsatisfiable && p.narrowed(binaryaffinity.Stage) {
		p.FirstOfGroup = r.firstOfGroup()
	}
	if r.request.value.Prefers() {
		p.InformativeReason = r.noChoice(p)
		p.Informative = p.InformativeReason == ""
	}
	if r.around != nil {
		p.Neighbours = r.around.read
	}
}

// narrowed says whether a stage took away nodes that those before it had left.
func (p *Preview) narrowed(stage string) bool {
	before := p.Total
	for _, s := range p.Stages {
		if s.Name == stage {
			return s.Remaining < before
		}
		before = s.Remaining
	}
	return false
}

// noChoice is why there was none: too few candidates, before they were narrowed
// to the winning tier, or a node that would have ranked above them all and is
// not one of them.
func (r *run) noChoice(p *Preview) string {
	if len(p.Candidates) < 2 {
		return fmt.Sprintf("only %d candidates", len(p.Candidates))
	}
	node, how := r.affine(p)
	if node == "" {
		return ""
	}
	p.AffineNode = node
	return "affine node not a candidate: " + how
}

// affine is the best of the nodes that are no candidates, if it is better than
// every candidate, and how it came not to be one.
func (r *run) affine(p *Preview) (node, how string) {
	best := p.Candidates[0].Tier
	for _, stage := range p.Stages {
		for _, drop := range stage.Dropped {
			if score := r.crowd().at(r.nodes[drop.Node]).Score; score > best {
				best, node, how = score, drop.Node, "dropped by "+stage.Name
			}
		}
	}
	for _, n := range r.unasked() {
		if score := r.crowd().at(n).Score; score > best {
			best, node, how = score, n.name, "not among the nodes asked about"
		}
	}
	return node, how
}

// unasked are the nodes that the caller's list leaves out.
func (r *run) unasked() []*node {
	if r.options.Nodes == nil {
		return nil
	}
	asked := map[*node]bool{}
	for _, n := range r.considered() {
		asked[n] = true
	}
	var others []*node
	for _, n := range r.order {
		if !asked[n] {
			others = append(others, n)
		}
	}
	return others
}
