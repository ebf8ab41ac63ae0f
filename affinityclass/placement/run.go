package placement

import "slices"

// run is one request asked of one view.
type run struct {
	*view
	request *Request
	options Options
	self    *placed
	scratch *scratch
	made    map[string]*topology
	// spare counts the resources in use as free: the counterfactual that tells
	// a want of capacity from a conflict.
	spare   bool
	matched []int8 // by node slot: required node affinity, once it is known
	toll    int    // steps that the judges prepared so far take at each node
	around  *crowd // the neighbours that the binary value speaks of, once they are read
}

// considered are the nodes that may become candidates, by name.
func (r *run) considered() []*node {
	if r.options.Nodes == nil {
		return r.order
	}
	names := slices.Sorted(slices.Values(r.options.Nodes))
	var nodes []*node
	for _, name := range slices.Compact(names) {
		if i, ok := r.find(name); ok {
			nodes = append(nodes, r.order[i])
		}
	}
	return nodes
}

// sift passes nodes through the stages, until none is left.
func (r *run) sift(nodes []*node) ([]Stage, []*node) {
	all := filters(r.request.kind)
	last := all[len(all)-1:]
	if r.request.kind == pod {
		last = nil // no stage of a Pod looks at who is left
	}
	stages, left := r.through(all[:len(all)-len(last)], nodes)
	if len(last) == 0 || len(left) == 0 {
		return stages, left
	}
	more, left := r.through(last, left)
	return append(stages, more...), left
}

// through asks the judges of some stages node by node, so that a node's memory
// is read once for all of them.
func (r *run) through(some []filter, nodes []*node) ([]Stage, []*node) {
	stages := make([]Stage, len(some))
	judges := make([]judge, len(some))
	for i, f := range some {
		stages[i].Name = f.name
		judges[i] = f.prepare(r, nodes)
		if r.exhausted() {
			return nil, nil
		}
	}
	toll := r.toll + r.request.filterSteps()
	kept := nodes
	whole := true // kept is still all of nodes up to here
	for i, n := range nodes {
		if !r.spend(toll) {
			return nil, nil
		}
		at, reason := first(judges, n)
		switch {
		case reason == nil && !whole:
			kept = append(kept, n)
		case reason != nil:
			if whole {
				whole = false // nodes may be the scratch's own: none is overtaken
				kept = append(sized(r.scratch.kept, len(nodes))[:0], nodes[:i]...)
			}
			stages[at].Dropped = append(stages[at].Dropped, Drop{n.name, reason})
			r.spend(dropSteps)
		}
	}
	if !whole {
		r.scratch.kept = kept
	}
	left := len(nodes)
	for i := range stages {
		if left == 0 {
			return stages[:i], kept
		}
		left -= len(stages[i].Dropped)
		stages[i].Remaining = left
	}
	return stages, kept
}

// first is the first judge who drops a node, and why.
func first(judges []judge, n *node) (int, *Reason) {
	for i, why := range judges {
		if why == nil {
			continue
		}
		if reason := why(n); reason != nil {
			return i, reason
		}
	}
	return 0, nil
}

// divide keeps the nodes that a judge passes. The list given is not changed.
func divide(why judge, nodes []*node) ([]*node, []Drop) {
	if why == nil {
		return nodes, nil
	}
	var drops []Drop
	kept := nodes
	whole := true // kept is still all of nodes up to here
	for i, n := range nodes {
		reason := why(n)
		switch {
		case reason == nil && !whole:
			kept = append(kept, n)
		case reason != nil && whole:
			whole = false
			kept = append(make([]*node, 0, len(nodes)-1), nodes[:i]...)
			fallthrough
		case reason != nil:
			drops = append(drops, Drop{n.name, reason})
		}
	}
	return kept, drops
}

// meets says whether a node meets the required node affinity and selector. An
// affinity that cannot be read matches no more than its readable terms.
func (r *run) meets(n *node) bool {
	if r.request.affinityText == "" && len(r.request.nodeSelector) == 0 {
		return true
	}
	if r.matched == nil {
		r.matched = make([]int8, len(r.slots))
	}
	known := &r.matched[n.slot]
	if *known == 0 {
		*known = -1
		if ok, _ := r.request.nodeAffinity.Match(n.object); ok {
			*known = 1
		}
	}
	return *known > 0
}
