package placement

// tiers is what ranks candidates before their score: who is around, when the
// binary value of the request prefers anything. It is nil otherwise, and then no
// neighbour is read and every candidate stands in tier 0.
func (r *run) tiers() *crowd {
	if !r.request.value.Prefers() {
		return nil
	}
	return r.crowd()
}

// tier is the binary score of a node.
func (c *crowd) tier(n *node) int64 {
	if c == nil {
		return 0
	}
	return c.at(n).Score
}

// show adds to the standing of each candidate its tier and what made it. Those
// that share a standing go on sharing where no neighbour makes a difference.
func (c *crowd) show(list []Candidate, of map[string]*node) {
	if c == nil {
		return
	}
	var last, alone *Standing
	for i := range list {
		sight := c.at(of[list[i].Node])
		if sight.InstanceCount == 0 && list[i].Standing == last {
			list[i].Standing = alone
			continue
		}
		own := *list[i].Standing
		own.Affinity = &Affinity{InstanceCount: sight.InstanceCount, Considered: sight.Considered}
		if sight.InstanceCount == 0 {
			last, alone = list[i].Standing, &own
		}
		list[i].Standing = &own
	}
}
