package placement

import "github.com/cozystack/affinityclass/affinityclass/binaryaffinity"

// Possible lists the nodes that could take a request whatever becomes of the
// others that are to be placed beside it: wherever they land, and in whatever
// order. No node is left out that might serve; some may be listed that would not,
// where that depends on the others. Empty means that no node takes the request as
// things stand, preemption aside.
//
// More Pods never make room, free a port or end an aversion, so these are judged
// as they are. They may be the neighbour that is wanted, and they may fill the
// emptiest domains of a spread, so there the most favourable case counts.
func (d *Drained) Possible(r *Request, others []*Request) []string {
	v := d.view()
	all := append([]*Request{r}, others...)
	guests := make([]*guest, len(all))
	for i, each := range all {
		guests[i] = &guest{run: &run{view: v, request: each}, itself: v.settled(each)}
	}
	g := guests[0]
	g.self, g.scratch = v.itself(r), v.borrow()
	defer v.giveBack(g.scratch)
	var asks []judge
	for _, f := range filters(r.kind) {
		if why := g.hopeful(f, guests); why != nil {
			asks = append(asks, why)
		}
	}
	var names []string
	for _, n := range d.stay {
		if _, reason := first(asks, n); reason == nil {
			names = append(names, n.name)
		}
	}
	return names
}

// hopeful is a stage in the most favourable case.
func (g *guest) hopeful(f filter, guests []*guest) judge {
	alone := f.prepare(g.run, g.drained.stay)
	switch {
	case g.request.kind == machine || alone == nil:
		return alone
	case f.name == "topology_spread":
		return g.spreadAtBest(guests)
	case f.name == "pod_affinity" && len(g.friends(guests)) > 0:
		topologies := g.topologiesOf(g.request.attract)
		return func(n *node) *Reason {
			if inAll(topologies, n) {
				return nil
			}
			return alone(n)
		}
	case f.name == binaryaffinity.Stage && len(g.tagged(guests)) > 0:
		return func(n *node) *Reason {
			if reason := alone(n); reason != nil && g.crowd().at(n).Refusal.Word != binaryaffinity.RequireWith {
				return reason
			}
			return nil
		}
	}
	return alone
}

// spreadAtBest raises the least count by all the others that a constraint counts.
func (g *guest) spreadAtBest(guests []*guest) judge {
	skews := g.skews(guests)
	for _, w := range skews {
		if !w.few {
			w.least += int64(len(w.others))
		}
	}
	return func(n *node) *Reason {
		for _, w := range skews {
			if reason := w.tally.judge(n); reason != nil {
				return reason
			}
		}
		return nil
	}
}
