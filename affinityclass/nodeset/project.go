package nodeset

import "slices"

// runs are the atoms of a limit of the outer set, which is a union of atoms.
func (u *universe) runs(v *values) []run {
	var atoms []int32
	if v.absent {
		atoms = append(atoms, absent)
	}
	if v.listed {
		for _, value := range v.only {
			atoms = append(atoms, u.at[value])
		}
		slices.Sort(atoms)
		return toRuns(atoms)
	}
	present := run{1, u.size()}
	if v.integer {
		present = u.span(v.low, v.high)
	}
	return append(toRuns(atoms), u.without(present, v.except)...)
}

// without splits a run around the atoms of some values.
func (u *universe) without(r run, except []string) []run {
	var out []int32
	for _, value := range except {
		if id := u.at[value]; r.from <= id && id < r.to {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	var runs []run
	for _, id := range append(out, r.to) {
		if id > r.from {
			runs = append(runs, run{r.from, id})
		}
		r.from = id + 1
	}
	return runs
}

// project finds the atoms that a limit of an inner term has a string in, or
// absence. No outer limit tells the strings of an atom apart, so nothing is lost.
func (u *universe) project(v *values, m *meter) atomSet {
	if !m.spend(1 + len(u.full)/wordsAStep) {
		return u.full
	}
	set := newAtomSet(u.size())
	if v.absent {
		set.add(absent)
	}
	if v.listed {
		for _, value := range v.only {
			set.add(u.atomOf(value))
		}
		return set
	}
	u.projectRest(set, v, m)
	return set
}

// projectRest is project for a set that is not a list.
func (u *universe) projectRest(set atomSet, v *values, m *meter) {
	present := run{1, u.size()}
	if v.integer {
		present = u.span(v.low, v.high)
	}
	for id := present.from; id < present.to && m.spend(1); id++ {
		if u.shares(id, v, m) {
			set.add(id)
		}
	}
}

// shares says whether an atom, not absence, has a string of v, not a list.
func (u *universe) shares(id int32, v *values, m *meter) bool {
	a := u.atoms[id]
	switch {
	case !a.fresh:
		return v.admits(a.value)
	case a.in == none:
		return true // no formula holds all words
	}
	low, high := u.bounds(a.in)
	_, ok := spelling(max(low, v.low), min(high, v.high), u.freeFor(v), m)
	return ok
}

// freeFor says which strings neither the outer set holds nor v refuses.
func (u *universe) freeFor(v *values) func(string) bool {
	return func(s string) bool { return u.fresh(s) && v.free(s) }
}
