package placement

// podAffinity: one neighbour must match every required term, and the node must
// share its domain for each. A Pod that matches its own terms may be the first
// of its group, on any node that has the keys.
func podAffinity(r *run, _ []*node) judge {
	terms := r.request.attract
	if len(terms) == 0 {
		return nil
	}
	found := make([]*firsts, len(terms))
	any := false
	others := 0 // steps
	for i, t := range terms {
		if r.exhausted() {
			return nil
		}
		found[i] = r.firsts(t.key)
		r.toll += t.textSteps()
		if i > 0 {
			others += t.steps
		}
	}
	r.each(terms[0], func(p *placed) {
		if !r.spend(others) {
			return
		}
		for _, t := range terms[1:] {
			if !t.reaches(p.alike.in) || !t.selector.Matches(p.alike.labels) {
				return
			}
		}
		for _, f := range found {
			f.note(p)
			any = any || f.found
		}
	})
	first := !any && r.matchesItself(terms)
	return func(n *node) *Reason {
		for i := range terms {
			if found[i].topology.at(n) == none {
				return lacksKey(terms[i].key)
			}
		}
		for i, t := range terms {
			if !first && found[i].in(n) == nil {
				return unattracted(t)
			}
		}
		return nil
	}
}

func (r *run) matchesItself(terms []*term) bool {
	in := r.space(r.request.object.Namespace)
	for _, t := range terms {
		if !t.reaches(in) || !t.selector.Matches(r.request.labels) {
			return false
		}
	}
	return true
}

func unattracted(t *term) *Reason {
	return &Reason{Rule: "pod affinity " + t.text + " not satisfied", Term: t.text}
}

func lacksKey(key string) *Reason {
	return &Reason{Rule: "node has no label " + key, Term: key}
}
