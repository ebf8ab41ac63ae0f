package placement

// each calls f with every placed neighbour that one of the request's own terms
// speaks of: on a node that exists, not the request itself, and for a Pod only
// Pods.
func (r *run) each(t *term, f func(*placed)) {
	if t.all || t.wide != nil {
		for _, ns := range r.namespaces {
			if !r.spend(t.steps) {
				return
			}
			if t.reaches(ns) {
				r.within(ns, t, f)
			}
		}
	} else {
		if !r.spend(len(t.namespaces)) {
			return
		}
		for _, name := range t.namespaces {
			if ns, ok := r.namespaces[name]; ok {
				r.within(ns, t, f)
			}
		}
	}
	if !r.spend(len(r.added) * t.steps) {
		return
	}
	for _, p := range r.added {
		if r.neighbour(p) && t.reaches(p.alike.in) && t.selector.Matches(p.alike.labels) {
			f(p)
		}
	}
}

func (r *run) within(ns *namespace, t *term, f func(*placed)) {
	for _, group := range ns.kinds {
		if !r.spend(t.steps * group.labels.lookSteps()) {
			return
		}
		if !t.selector.Matches(group.labels) {
			continue
		}
		if !r.spend(2 * len(group.members)) {
			return
		}
		for _, p := range group.members {
			if r.neighbour(p) {
				f(p)
			}
		}
	}
}

func (r *run) neighbour(p *placed) bool {
	if _, gone := r.moved[p]; gone || r.departed(p) {
		return false
	}
	return !r.isSelf(p) && p.node.object != nil && (p.kind == pod || r.request.kind == machine)
}

// repellers calls f with every placed Pod whose required anti-affinity speaks of
// the request, and the term.
func (r *run) repellers(f func(*placed, *term)) {
	labels := r.request.labels
	in := r.space(r.request.object.Namespace)
	from := func(t *term) {
		if !r.spend(2 * len(t.holders)) {
			return
		}
		for _, h := range t.holders {
			if r.neighbour(h.pod) && r.hears(h.pod) {
				f(h.pod, t)
			}
		}
	}
	for t := range in.repels {
		if !r.spend(t.steps) {
			return
		}
		if t.selector.Matches(labels) {
			from(t)
		}
	}
	for t := range r.wide {
		if !r.spend(t.steps) {
			return
		}
		if _, named := in.repels[t]; !named && t.matches(in, labels) {
			from(t)
		}
	}
	for _, p := range r.added {
		for _, h := range p.extra.terms {
			if !r.spend(h.term.steps) {
				return
			}
			if h.term.matches(in, labels) {
				f(p, h.term)
			}
		}
	}
}

// hears says whether what a placed Pod refuses counts.
func (r *run) hears(p *placed) bool {
	return r.options.Heard == "" || r.options.Heard == p.alike.in.name
}

// topology returns the domains of a key, made for this run when the snapshot does not keep it.
func (r *run) topology(key string) *topology {
	if t, ok := r.topologies[key]; ok {
		return t
	}
	if t, ok := r.made[key]; ok {
		return t
	}
	t := newTopology(key)
	r.spend(2 * len(r.order))
	for _, n := range r.order {
		t.place(n.slot, n.object.Labels)
	}
	if r.made == nil {
		r.made = map[string]*topology{}
	}
	r.made[key] = t
	return t
}

// firsts is, by domain, the first of some Pods by namespace and name: who is
// named when the domain is refused or accepted.
type firsts struct {
	topology *topology
	pods     []*placed
	several  []bool // more than one
	found    bool
}

func (r *run) firsts(key string) *firsts {
	t := r.topology(key)
	r.spend(1 + len(t.values)/2)
	f := r.scratch.firsts()
	f.topology, f.found = t, false
	f.pods, f.several = sized(f.pods, len(t.values)), sized(f.several, len(t.values))
	clear(f.pods)
	clear(f.several)
	return f
}

func (f *firsts) note(p *placed) {
	domain := f.topology.at(p.node)
	if domain == none {
		return
	}
	f.found = true
	first := f.pods[domain]
	f.several[domain] = f.several[domain] || first != nil && first != p
	if first == nil || p.less(first) {
		f.pods[domain] = p
	}
}

// only says whether nobody but p was noted in the domain of a node.
func (f *firsts) only(n *node, p *placed) bool {
	domain := f.topology.at(n)
	return domain == none || f.pods[domain] == nil || f.pods[domain] == p && !f.several[domain]
}

// in is who was noted in the domain of a node.
func (f *firsts) in(n *node) *placed {
	if domain := f.topology.at(n); domain != none {
		return f.pods[domain]
	}
	return nil
}
