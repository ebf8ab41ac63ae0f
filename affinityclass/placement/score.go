package placement

import (
	"slices"

	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// summand is one term of a score, for any node.
type summand struct {
	name  string
	value func(*node) int64
}

// candidates scores the nodes that are left, best first: the tier, the score,
// and of equals a hash of Pod and node, so that no node is favoured for its name. With
// them come the nodes that share the first place.
func (r *run) candidates(left []*node) ([]Candidate, []string) {
	summands := r.summands()
	places := make([]place, len(left))
	seed := hashed(offset, r.request.object.Namespace, r.request.object.Name)
	values := make([]int64, 0, len(left)*len(summands))
	for i, n := range left {
		places[i] = place{hash: uint32(mixed(hashed(seed, n.name)) >> 32), index: int32(i)}
		for _, s := range summands {
			value := s.value(n)
			places[i].score += value
			values = append(values, value)
		}
	}
	tie := tied(left, places)
	list := make([]Candidate, len(left))
	var last []int64
	for to, p := range sorted(places) {
		list[to].Node = left[p.index].name
		own := values[int(p.index)*len(summands):][:len(summands)]
		if to > 0 && slices.Equal(own, last) { // neighbours in the list are often alike
			list[to].Standing = list[to-1].Standing
			continue
		}
		list[to].Standing = &Standing{Score: p.score, Terms: shown(summands, own)}
		last = own
	}
	return list, tie
}

// shown are the summands that are not zero; the load always is.
func shown(summands []summand, values []int64) []Term {
	var terms []Term
	for i, value := range values {
		if value != 0 || i == 0 {
			terms = append(terms, Term{summands[i].name, value})
		}
	}
	return terms
}

// tied are the best places when they are more than one, by name: nodes are read
// in their own order, which is that.
func tied(left []*node, places []place) []string {
	best, count := places[0], 0
	for _, p := range places {
		switch order := p.rank(best); {
		case order < 0:
			best, count = p, 1
		case order == 0:
			count++
		}
	}
	if count < 2 {
		return nil
	}
	names := make([]string, 0, count)
	for i, n := range left {
		if places[i].rank(best) == 0 {
			names = append(names, n.name)
		}
	}
	return names
}

// summands are those of LeastLoaded that the request and the nodes call for.
func (r *run) summands() []summand {
	list := []summand{{"load", func(n *node) int64 { return -r.assigned(n) }}}
	list = append(list, r.preferences()...)
	list = append(list, r.spreading()...)
	list = append(list, summand{"taints", func(n *node) int64 {
		if disliked(n.taints, r.request.tolerations) {
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

// offset and prime are those of FNV-1a, 64 bits.
const (
	offset = uint64(14695981039346656037)
	prime  = uint64(1099511628211)
)

// mixed spreads a hash over all its bits, so that its first ones are as good as
// any.
func mixed(hash uint64) uint64 {
	hash ^= hash >> 33
	hash *= prime | 1<<63
	return hash ^ hash>>29
}

// hashed continues a hash over texts, each ended by a zero.
func hashed(hash uint64, texts ...string) uint64 {
	for _, text := range texts {
		for i := range len(text) {
			hash = (hash ^ uint64(text[i])) * prime
		}
		hash *= prime
	}
	return hash
}
