package placement

import (
	"cmp"
	"slices"

	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// summand is one term of a score, for any node.
type summand struct {
	name  string
	value func(*node) int64
}

// candidates scores the nodes that are left, best first: the tier, the score,
// and of equals a hash of Pod and node, so that no node is favoured for its name.
func (r *run) candidates(left []*node) []Candidate {
	summands := r.summands()
	list := make([]Candidate, len(left))
	terms := make([]Term, 0, len(left)*len(summands))
	hashes := make([]uint64, len(left))
	order := make([]int, len(left))
	seed := hashed(offset, r.request.object.Namespace, r.request.object.Name)
	for i, n := range left {
		from := len(terms)
		c := &list[i]
		c.Node = n.name
		for _, s := range summands {
			value := s.value(n)
			c.Score += value
			if value != 0 || s.name == "load" {
				terms = append(terms, Term{s.name, value})
			}
		}
		c.Terms = terms[from:len(terms):len(terms)]
		hashes[i], order[i] = hashed(seed, n.name), i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(list[b].Tier, list[a].Tier), cmp.Compare(list[b].Score, list[a].Score),
			cmp.Compare(hashes[a], hashes[b]), cmp.Compare(list[a].Node, list[b].Node))
	})
	sorted := make([]Candidate, len(list))
	for to, from := range order {
		sorted[to] = list[from]
	}
	return sorted
}

// tied are the best candidates when they are more than one, by name.
func tied(best []Candidate) []string {
	var names []string
	for i := range best {
		if best[i].Tier != best[0].Tier || best[i].Score != best[0].Score {
			break
		}
		names = append(names, best[i].Node)
	}
	if len(names) < 2 {
		return nil
	}
	slices.Sort(names)
	return names
}

// summands are those of LeastLoaded that the request and the nodes call for.
func (r *run) summands() []summand {
	list := []summand{{"load", func(n *node) int64 { return -r.assigned(n) }}}
	list = append(list, r.preferences()...)
	list = append(list, r.spreading()...)
	list = append(list, summand{"taints", func(n *node) int64 {
		if disliked(n.object.Spec.Taints, r.request.tolerations) {
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
