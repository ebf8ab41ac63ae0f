package placement

import "fmt"

// machineAffinity: for each term some other neighbour that matches it, in the
// node's domain. There is no first of a group, and each term may be met by
// another neighbour.
func machineAffinity(r *run, _ []*node) judge {
	terms := r.request.attract
	if len(terms) == 0 {
		return nil
	}
	found := make([]*firsts, len(terms))
	for i, t := range terms {
		found[i] = r.firsts(t.key)
		r.each(t, found[i].note)
	}
	return func(n *node) *Reason {
		for i, t := range terms {
			if found[i].in(n) == nil {
				return unattracted(t)
			}
		}
		return nil
	}
}

// machineAntiAffinity: only the request's own terms; it is not symmetric.
func machineAntiAffinity(r *run, _ []*node) judge {
	own := r.repelled()
	if len(own) == 0 {
		return nil
	}
	return func(n *node) *Reason {
		for i, f := range own {
			if p := f.in(n); p != nil {
				return blocked(refusedBy(r.request.avoid[i], p), n, p, own, nil)
			}
		}
		return nil
	}
}

// machineSpread: the domains are those of the nodes still candidates. After
// placing, a domain may have at most maxSkew more than the least of them; 0 is
// perfect balance. A node without the key passes.
func machineSpread(r *run, left []*node) judge {
	var judges []judge
	for i := range r.request.spread {
		if c := &r.request.spread[i]; c.hard {
			judges = append(judges, r.balance(c, left))
		}
	}
	if len(judges) == 0 {
		return nil
	}
	return func(n *node) *Reason {
		for _, why := range judges {
			if reason := why(n); reason != nil {
				return reason
			}
		}
		return nil
	}
}

func (r *run) balance(c *spread, left []*node) judge {
	t := r.topology(c.key)
	counts := r.countIn(c, nil)
	present := make([]bool, len(t.values))
	for _, n := range left {
		if domain := t.at(n); domain != none {
			present[domain] = true
		}
	}
	return func(n *node) *Reason {
		domain := t.at(n)
		if domain == none {
			return nil
		}
		least := leastAfter(counts, present, domain)
		if counts[domain]+1-least <= c.maxSkew {
			return nil
		}
		return skewed(c, t.values[domain], counts[domain]+1, least)
	}
}

// leastAfter is the least count of the domains present, when one more is placed
// in the given domain.
func leastAfter(counts []int64, present []bool, placed int32) int64 {
	least := counts[placed] + 1
	for domain, there := range present {
		if there && int32(domain) != placed {
			least = min(least, counts[domain])
		}
	}
	return least
}

func skewed(c *spread, domain string, count, least int64) *Reason {
	return &Reason{
		Rule: fmt.Sprintf("topology spread %s, maxSkew %d, not satisfied", c, c.maxSkew), Term: c.String(),
		Detail: fmt.Sprintf("%s would have %d, the least %d", domain, count, least),
	}
}
