package nodeset

import (
	"math/bits"
	"slices"
)

// atomSet is a set of atoms of one universe, a bit each.
type atomSet []uint64

// run is the atoms from one up to, but not with, another.
type run struct{ from, to int32 }

func newAtomSet(size int32) atomSet { return make(atomSet, (size+63)/64) }

func (s atomSet) has(atom int32) bool { return s[atom/64]>>(atom%64)&1 != 0 }

func (s atomSet) add(atom int32) { s[atom/64] |= 1 << (atom % 64) }

func (s atomSet) addRun(r run) {
	for atom := r.from; atom < r.to; atom++ {
		s.add(atom)
	}
}

// each calls visit for every atom in order until it returns false.
func (s atomSet) each(visit func(atom int32) bool) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			if !visit(int32(i*64 + bits.TrailingZeros64(word))) {
				return
			}
		}
	}
}

// meets says whether the set has an atom of the runs.
func (s atomSet) meets(runs []run) bool {
	return slices.ContainsFunc(runs, func(r run) bool {
		for i := r.from / 64; i*64 < r.to; i++ {
			if s[i]&r.mask(i) != 0 {
				return true
			}
		}
		return false
	})
}

// remove takes the atoms of the runs out.
func (s atomSet) remove(runs []run) {
	for _, r := range runs {
		for i := r.from / 64; i*64 < r.to; i++ {
			s[i] &^= r.mask(i)
		}
	}
}

// mask has the bits of word i that the run covers.
func (r run) mask(i int32) uint64 {
	mask := ^uint64(0)
	if r.from > i*64 {
		mask <<= r.from - i*64
	}
	if r.to < (i+1)*64 {
		mask &= 1<<(r.to-i*64) - 1
	}
	return mask
}

// toRuns joins atoms, sorted, to runs.
func toRuns(atoms []int32) []run {
	var runs []run
	for _, atom := range atoms {
		if last := len(runs) - 1; last >= 0 && runs[last].to == atom {
			runs[last].to++
		} else {
			runs = append(runs, run{atom, atom + 1})
		}
	}
	return runs
}

// complement is the atoms of a universe that no run covers.
func complement(runs []run, size int32) []run {
	var rest []run
	next := int32(0)
	for _, r := range runs {
		if r.from > next {
			rest = append(rest, run{next, r.from})
		}
		next = r.to
	}
	if next < size {
		rest = append(rest, run{next, size})
	}
	return rest
}
