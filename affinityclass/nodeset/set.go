package nodeset

import (
	"iter"

	corev1 "k8s.io/api/core/v1"
)

// Set is a set of nodes. The zero Set is all of them. It is immutable and safe
// for concurrent use.
type Set struct {
	labels   map[string]string
	selector *corev1.NodeSelector
	union    *union // when compiled; the fields above are then not read
}

// Of is the set of nodes that have all the labels and match one of the
// selector's terms: what a Pod's nodeSelector and required node affinity say
// together, and what a class says. A nil selector matches all nodes, one without
// terms matches none.
//
// Of costs nothing: the Set refers to its arguments, which must not change while
// it is used, and reads them only as far as a question needs.
func Of(labels map[string]string, selector *corev1.NodeSelector) Set {
	return Set{labels: labels, selector: selector}
}

// Union is the set of nodes that are in one of the sets; of none it is empty. It
// is compiled: read now and once, to be an outer set many times, and keeps
// nothing of what the sets refer to. Its cost has no bound, so it is for
// formulas whose size is bounded elsewhere.
func Union(sets ...Set) Set {
	var terms []term
	for _, s := range sets {
		for t := range s.terms(unmetered()) {
			terms = append(terms, t)
		}
	}
	return Set{union: compile(terms)}
}

// Compile reads the set now and once: it is Union of one.
func (s Set) Compile() Set {
	if s.union != nil {
		return s
	}
	return Union(s)
}

// terms yields the terms that match a node, as long as m lasts.
func (s Set) terms(m *meter) iter.Seq[term] {
	return func(yield func(term) bool) {
		if s.union != nil {
			s.union.yield(yield)
			return
		}
		pairs, ok := readPairs(s.labels, m)
		if !ok {
			return
		}
		if s.selector == nil {
			yield(pairs)
			return
		}
		for i := range s.selector.NodeSelectorTerms {
			if !m.spend(1) {
				return
			}
			if t, ok := readTerm(&s.selector.NodeSelectorTerms[i], pairs, m); ok && !yield(t) {
				return
			}
		}
	}
}
