package placement

import "slices"

// ports: host ports that another Pod on the node has. State, not capacity. The
// first port that is taken names the node, and of those that have it the first
// by name.
func ports(r *run, _ []*node) judge {
	if len(r.request.ports) == 0 {
		return nil
	}
	return func(n *node) *Reason {
		var reason *Reason
		for _, port := range r.request.ports {
			takers := r.takers(n, port)
			if len(takers) == 0 {
				continue
			}
			if reason != nil { // a second port is a second step
				reason.Fix = ""
				return reason
			}
			reason = taken(port, takers)
		}
		return reason
	}
}

func (r *run) takers(n *node, port hostPort) []*placed {
	all := n.takers(port)
	if extra := r.more(n); extra != nil {
		all = append(all, extra.takers(port)...)
	}
	return slices.DeleteFunc(all, func(p *placed) bool {
		_, gone := r.moved[p]
		return gone || r.isSelf(p)
	})
}

func taken(port hostPort, by []*placed) *Reason {
	first := by[0]
	for _, p := range by[1:] {
		if p.less(first) {
			first = p
		}
	}
	reason := &Reason{
		Rule: "host port " + port.String() + " taken", Term: "hostPort " + port.String(),
		Blocking: first.key(),
	}
	if len(by) == 1 {
		reason.Fix = "free host port " + port.String()
	}
	return reason
}
