package placement

import v1 "k8s.io/api/core/v1"

// extraOf is what few Pods have: host ports, required anti-affinity and the place
// of a DaemonSet; nil when this one has none. A term that cannot be read repels nobody.
func (s *Snapshot) extraOf(object *v1.Pod) *extra {
	ports := hostPorts(object)
	terms, _ := requiredTerms(antiAffinityOf(object), object)
	place, made := daemonOf(object)
	if len(ports)+len(terms) == 0 && !made {
		return nil
	}
	e := &extra{ports: ports, daemon: place}
	for _, t := range terms {
		e.terms = append(e.terms, held{term: s.sharedTerm(t)})
	}
	return e
}

// sharedTerm is the one term in the index that means the same.
func (s *Snapshot) sharedTerm(t *term) *term {
	id := t.identity()
	if shared, ok := s.terms[id]; ok {
		return shared
	}
	t.id = id
	s.terms[id] = t
	if t.wide != nil {
		s.wide[t] = struct{}{}
	}
	for _, name := range t.namespaces {
		s.namespace(name).repels[t] = struct{}{}
	}
	return t
}

// dropTerm takes a holder out of its term, and the term out of the index with
// the last one.
func (s *Snapshot) dropTerm(h held) {
	t := h.term
	last := len(t.holders) - 1
	moved := t.holders[last]
	t.holders[h.at] = moved
	moved.pod.extra.terms[moved.term].at = h.at
	t.holders[last] = holder{}
	t.holders = t.holders[:last]
	if last > 0 {
		return
	}
	delete(s.terms, t.id)
	delete(s.wide, t)
	for _, name := range t.namespaces {
		ns := s.namespaces[name]
		delete(ns.repels, t)
		s.forget(ns)
	}
}
