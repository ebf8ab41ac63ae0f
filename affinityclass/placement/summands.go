package placement

import "k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

// summands are those of LeastLoaded that the request and the nodes call for.
func (r *run) summands() []summand {
	list := []summand{{"load", func(n *node) int64 { return -r.assigned(n) }}}
	list = append(list, r.preferences()...)
	list = append(list, r.spreading()...)
	list = append(list, summand{"taints", func(n *node) int64 {
		if n.tainted && disliked(n.taints, r.request.tolerations) {
			return -PreferNoSchedulePenalty
		}
		return 0
	}})
	if on := r.hinted(); on != nil {
		list = append(list, summand{"deviceHint", func(n *node) int64 {
			if on[n.name] {
				return DeviceHintBonus
			}
			return 0
		}})
	}
	if p := r.request.preferNodes; p != nil {
		list = append(list, summand{"nodeAffinity", preferredNodes(p)})
	}
	return list
}

func preferredNodes(p *nodeaffinity.PreferredSchedulingTerms) func(*node) int64 {
	return func(n *node) int64 { return p.Score(n.object) }
}

// preferences weighs every soft term whose neighbour is in the node's domain.
func (r *run) preferences() []summand {
	type weighed struct {
		by     *firsts
		weight int64
	}
	var near, far []weighed
	for _, p := range r.request.prefer {
		if r.exhausted() {
			return nil
		}
		w := weighed{r.firsts(p.term.key), p.weight}
		r.each(p.term, w.by.note)
		if p.weight < 0 {
			far = append(far, w)
		} else {
			near = append(near, w)
		}
	}
	sum := func(all []weighed) func(*node) int64 {
		return func(n *node) int64 {
			total := int64(0)
			for _, w := range all {
				if w.by.in(n) != nil {
					total += w.weight
				}
			}
			return total
		}
	}
	var list []summand
	if near != nil {
		list = append(list, summand{"preferredAffinity", sum(near)})
	}
	if far != nil {
		list = append(list, summand{"preferredAntiAffinity", sum(far)})
	}
	return list
}

// spreading subtracts the matching Pods of the node's domain, for every
// constraint, hard ones too.
func (r *run) spreading() []summand {
	var counts [][]int64
	var topologies []*topology
	for i := range r.request.spread {
		if r.exhausted() {
			return nil
		}
		c := &r.request.spread[i]
		topologies = append(topologies, r.topology(c.key))
		counts = append(counts, r.countIn(c, nil))
	}
	if counts == nil {
		return nil
	}
	return []summand{{"topologySpread", func(n *node) int64 {
		total := int64(0)
		for i, t := range topologies {
			if domain := t.at(n); domain != none {
				total -= counts[i][domain]
			}
		}
		return total
	}}}
}

// hinted are the nodes that own the devices allocated to the request's claims. A
// pool that several nodes own, or none, hints at nothing.
func (r *run) hinted() map[string]bool {
	var on map[string]bool
	for _, claim := range r.request.claims {
		for _, p := range r.claims[claim] {
			owners := r.owners[p]
			if len(owners) != 1 || owners[""] > 0 {
				continue
			}
			for name := range owners {
				if on == nil {
					on = map[string]bool{}
				}
				on[name] = true
			}
		}
	}
	return on
}
