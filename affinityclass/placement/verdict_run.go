package placement

import "fmt"

// quota: the first hard limit that one more would break. It holds for every
// node alike.
func (r *run) quota(quotas []*quota) judge {
	for _, q := range quotas {
		if reason := r.exceeds(q); reason != nil {
			return func(*node) *Reason { return reason }
		}
	}
	return nil
}

func (r *run) exceeds(q *quota) *Reason {
	used, takes, own := r.usedOf(q), r.request.takes(), r.own(r.request)
	for _, limit := range q.hard {
		want := takes[limit.name]
		free := limit.amount
		if !r.spare {
			free -= used[limit.name] - own[limit.name]
		}
		if want > 0 && want > free { // what it does not use is not asked of it
			return &Reason{
				Rule: fmt.Sprintf("quota %s: %s", q.key.Name, limit.name), Resource: limit.name,
				Need: want, Have: free, Term: q.key.String(), quota: q.key.String(),
				Fix: quantity(limit.name, want-free) + " " + limit.name + " short in quota " + q.key.Name,
			}
		}
	}
	return nil
}

// counterfactual tells a want of capacity from a conflict: are there candidates
// when the resources in use are free? Only then the shortage is what binds, so
// neither can hide the other.
func (r *run) counterfactual(p *Preview, considered []*node) {
	p.Verdict = Unsatisfiable
	free := &run{view: r.view, request: r.request, options: r.options, self: r.self, scratch: r.scratch, made: r.made, matched: r.matched, around: r.around, spare: true}
	_, could := free.sift(considered)
	quotas := r.quotasOf(r.request)
	could, _ = divide(free.quota(quotas), could)
	if len(could) == 0 || !r.spend(len(could)*(dropSteps+r.request.filterSteps())) {
		return
	}
	p.Verdict, p.Transient = NoCapacity, true
	p.Shortfall = r.shortfall(could, quotas)
	p.Full = r.full(len(could), p.Shortfall)
}

// shortfall is what binds on the node that is nearest to fitting: the least
// share of a need that is missing. When the nodes have room, the quota binds.
func (r *run) shortfall(could []*node, quotas []*quota) *Shortfall {
	var nearest *Shortfall
	fit, pinned := resources(r, nil), judge(nil)
	if r.request.kind == machine {
		pinned = cpuPinning(r, nil)
	}
	for _, n := range could {
		reason := fit(n)
		if reason == nil && pinned != nil {
			reason = pinned(n)
		}
		if reason == nil {
			continue
		}
		short := worst(n.name, reason)
		if nearest == nil || short.less(nearest) {
			nearest = short
		}
	}
	if nearest == nil {
		for _, q := range quotas {
			if reason := r.exceeds(q); reason != nil {
				return &Shortfall{Resource: reason.Resource, Need: reason.Need, Have: reason.Have, Quota: reason.quota}
			}
		}
	}
	return nearest
}

// worst is the resource of which the greatest share is missing on a node.
func worst(node string, reason *Reason) *Shortfall {
	most := &Shortfall{Node: node, Resource: reason.Resource, Need: reason.Need, Have: reason.Have}
	for _, a := range reason.Short {
		next := &Shortfall{Node: node, Resource: a.Resource, Need: a.Need, Have: a.Have}
		if most.less(next) {
			most = next
		}
	}
	return most
}

// less says whether a smaller share is missing than of the other.
func (s *Shortfall) less(other *Shortfall) bool {
	share := func(s *Shortfall) float64 { return float64(s.Need-s.Have) / float64(max(s.Need, 1)) }
	return share(s) < share(other)
}
