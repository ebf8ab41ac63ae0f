package nodeset

import (
	"slices"
)

// record makes a witness of the state, all of whose points are outside the outer
// set: each key is absent where it may be.
func (s *search) record() {
	if !s.m.spend(1 + len(s.state)/limitsAStep + len(s.inner)) {
		return
	}
	w := &Witness{Labels: map[string]string{}}
	for i := range s.inner {
		l := &s.inner[i]
		if _, ok := s.outer.index[l.key]; !ok && !l.absent {
			w.set(l.key, s.invent(&l.values))
		}
	}
	for key, u := range s.outer.keys {
		if s.needs(u, s.state[key]) {
			w.set(u.key, s.pick(u, s.state[key]))
		}
	}
	if s.m.spent() {
		return // while a value was sought, so it may not be one
	}
	s.shows, s.by, s.best = w, s.inner, s.labels
}

// needs says that the witness must say something of a key of the outer set: a
// label that may not be absent, or a name if not every name would do.
func (s *search) needs(u *universe, state atomSet) bool {
	if u.key != nodeName {
		return !state.has(absent)
	}
	_, limited := s.inner.find(nodeName)
	return limited || !slices.Equal(state, u.full)
}

func (w *Witness) set(key, value string) {
	if key == nodeName {
		w.Name = value
		return
	}
	w.Labels[key] = value
}

// pick chooses a string that the inner term and the state allow: one that the
// inner formula lists if it can, else from the atom most telling to a reader.
func (s *search) pick(u *universe, state atomSet) string {
	v := s.inner.limit(u.key)
	for _, value := range v.only {
		if state.has(u.atomOf(value)) {
			return value
		}
	}
	var chosen int32
	least := worst + 1
	state.each(func(id int32) bool {
		if r := u.rank(id); r < least {
			chosen, least = id, r
		}
		return least > 0
	})
	return s.example(u, chosen, v)
}

const worst = 3

// rank is how little an atom tells a reader: a value of the outer formula tells
// most, then an integer next to a bound, then any word, then any integer.
func (u *universe) rank(id int32) int {
	switch a := u.atoms[id]; {
	case !a.fresh:
		return 0
	case a.in == none:
		return 2
	case len(u.cuts) > 1:
		return 1
	}
	return worst
}

// example is a string of an atom that v, not a list, has too.
func (s *search) example(u *universe, id int32, v *values) string {
	a := u.atoms[id]
	switch {
	case !a.fresh:
		return a.value
	case a.in == none:
		return word(u.freeFor(v), s.m)
	}
	low, high := u.bounds(a.in)
	value, _ := spelling(max(low, v.low), min(high, v.high), u.freeFor(v), s.m)
	return value
}

// invent chooses a string for a key of which the outer set says nothing.
func (s *search) invent(v *values) string {
	switch {
	case v.listed:
		return v.only[0]
	case v.integer:
		value, _ := spelling(v.low, v.high, v.free, s.m)
		return value
	}
	return word(v.free, s.m)
}
