package placement

import "math"

// topologySpread: DoNotSchedule constraints. The domains are those of all nodes
// that have every key and meet the constraint's policies, candidates or not.
func topologySpread(r *run, _ []*node) judge {
	var hard []*spread
	for i := range r.request.spread {
		if c := &r.request.spread[i]; c.hard {
			hard = append(hard, c)
		}
	}
	if len(hard) == 0 {
		return nil
	}
	tallies := make([]*tally, len(hard))
	for i, c := range hard {
		if r.exhausted() {
			return nil
		}
		tallies[i] = r.tally(c, hard)
	}
	r.toll += len(hard)
	return func(n *node) *Reason {
		for _, t := range tallies {
			if reason := t.judge(n); reason != nil {
				return reason
			}
		}
		return nil
	}
}

// tally is the state of one constraint.
type tally struct {
	spread   *spread
	topology *topology
	counts   []int64 // by domain
	least    int64
	self     int64     // 1 when the request itself matches
	shared   []*Reason // by domain: all nodes of one share it
	lacks    *Reason
}

func (r *run) tally(c *spread, all []*spread) *tally {
	t := r.topology(c.key)
	eligible := r.eligible(c, all)
	y := &tally{spread: c, topology: t, shared: make([]*Reason, len(t.values)), lacks: lacksKey(c.key)}
	y.counts = r.countIn(c, eligible)
	y.least = leastOf(y.counts, r.domainsOf(t, eligible), c.minDomains)
	if c.selector.Matches(r.request.labels) {
		y.self = 1
	}
	return y
}

// eligible says, by node slot, which nodes make domains for a constraint.
func (r *run) eligible(c *spread, all []*spread) []bool {
	topologies := make([]*topology, len(all))
	for i, other := range all {
		topologies[i] = r.topology(other.key)
	}
	in := make([]bool, len(r.slots))
	if !r.spend(len(r.order) * (len(all) + r.request.filterSteps())) {
		return in
	}
	for _, n := range r.order {
		in[n.slot] = inAll(topologies, n) &&
			(!c.honorAffinity || r.meets(n)) &&
			(!c.honorTaints || untoleratedAt(n.taints, r.request.tolerations) < 0 && !r.cordonedFor(n))
	}
	return in
}

func inAll(topologies []*topology, n *node) bool {
	for _, t := range topologies {
		if t.at(n) == none {
			return false
		}
	}
	return true
}

func (r *run) domainsOf(t *topology, eligible []bool) []bool {
	present := make([]bool, len(t.values))
	for _, n := range r.order {
		if domain := t.at(n); eligible[n.slot] && domain != none {
			present[domain] = true
		}
	}
	return present
}

// leastOf is the least count of the domains present; 0 when they are fewer than
// the constraint wants. With no domain at all nothing can be skewed.
func leastOf(counts []int64, present []bool, minDomains int64) int64 {
	least, domains := int64(math.MaxInt32), int64(0)
	for domain, there := range present {
		if there {
			domains++
			least = min(least, counts[domain])
		}
	}
	if domains < minDomains {
		return 0
	}
	return least
}

// countIn counts the Pods that a constraint spreads, by domain, on the eligible
// nodes (nil: on all). A Pod's constraint counts its own namespace and not what
// is terminating; an empty selector counts nothing, as in the scheduler.
func (r *run) countIn(c *spread, eligible []bool) []int64 {
	t := r.topology(c.key)
	counts := make([]int64, len(t.values))
	ofMachine := r.request.kind == machine
	if !ofMachine && c.selector.Empty() {
		return counts
	}
	scope := &term{selector: c.selector, namespaces: []string{r.request.object.Namespace}, all: ofMachine}
	scope.steps = scope.matchSteps()
	r.each(scope, func(p *placed) {
		if p.terminating && !ofMachine || eligible != nil && !eligible[p.node.slot] {
			return
		}
		if domain := t.at(p.node); domain != none {
			counts[domain]++
		}
	})
	return counts
}

func (t *tally) judge(n *node) *Reason {
	domain := t.topology.at(n)
	if domain == none {
		return t.lacks
	}
	after := t.counts[domain] + t.self
	if after-t.least <= t.spread.maxSkew {
		return nil
	}
	if t.shared[domain] == nil {
		t.shared[domain] = skewed(t.spread, t.topology.values[domain], after, t.least)
	}
	return t.shared[domain]
}
