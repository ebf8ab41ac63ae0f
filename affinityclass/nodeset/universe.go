package nodeset

import (
	"cmp"
	"math"
	"slices"
)

// universe is what one key of a node can be, as far as the terms of an outer set
// can tell. Its atoms are disjoint, cover {absent} ∪ strings, and every limit of
// the outer set is a union of them:
//
//	absent                       the key is missing; always atom 0
//	integers, in order           each value held by a limit; and for each range
//	                             between the bounds of Gt and Lt, the values in
//	                             it that no limit holds, if any are left
//	words                        each value held by a limit
//	word                         every other string; always the last atom
type universe struct {
	key   string
	atoms []atom
	at    map[string]int32 // of values held by a limit
	cuts  []int64          // where ranges begin, ascending from 0; Gt and Lt cut
	first []int32          // the first atom of each range, and last the first word's
	gap   []int32          // the atom of the other integers of each range, or none
	full  atomSet          // what an inner term says that does not mention the key
}

// atom is one value, or (fresh) strings that no limit holds: integers of a
// range, or words if the range is none.
type atom struct {
	value string
	fresh bool
	in    int
}

const (
	absent = int32(0)
	none   = -1
)

func newUniverse(key string, limits []*values) *universe {
	u := &universe{key: key, at: map[string]int32{}, cuts: cuts(limits), atoms: make([]atom, 1)}
	integers, words := u.held(limits)
	for i := range u.cuts {
		integers = u.addRange(i, integers)
	}
	u.first = append(u.first, int32(len(u.atoms)))
	for _, value := range words {
		u.add(atom{value: value, in: none})
	}
	u.add(atom{fresh: true, in: none})
	u.full = newAtomSet(u.size())
	u.full.addRun(run{0, u.size()})
	if key == nodeName {
		u.full.remove([]run{{absent, absent + 1}})
	}
	return u
}

// cuts are the integers at which Gt or Lt changes its answer.
func cuts(limits []*values) []int64 {
	list := []int64{0}
	for _, v := range limits {
		if v.integer && v.low > 0 {
			list = append(list, v.low)
		}
		if v.integer && 0 <= v.high && v.high < math.MaxInt64 {
			list = append(list, v.high+1)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

type integer struct {
	n     int64
	value string
}

// held sorts the values that limits hold into integers and words.
func (u *universe) held(limits []*values) (integers []integer, words []string) {
	for _, v := range limits {
		for _, list := range [][]string{v.only, v.except} {
			for _, value := range list {
				if _, seen := u.at[value]; seen {
					continue
				}
				u.at[value] = none
				if n, ok := number(value); ok {
					integers = append(integers, integer{n, value})
				} else {
					words = append(words, value)
				}
			}
		}
	}
	slices.Sort(words)
	slices.SortFunc(integers, func(a, b integer) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.value, b.value))
	})
	return integers, words
}

// addRange makes the atoms of a range and returns the integers after it.
func (u *universe) addRange(i int, integers []integer) []integer {
	low, high := u.bounds(i)
	u.first, u.gap = append(u.first, int32(len(u.atoms))), append(u.gap, none)
	if _, ok := spelling(low, high, u.fresh, unmetered()); ok {
		u.gap[i] = u.add(atom{fresh: true, in: i})
	}
	for ; len(integers) > 0 && integers[0].n <= high; integers = integers[1:] {
		u.add(atom{value: integers[0].value, in: i})
	}
	return integers
}

func (u *universe) add(a atom) int32 {
	id := u.size()
	u.atoms = append(u.atoms, a)
	if !a.fresh {
		u.at[a.value] = id
	}
	return id
}

func (u *universe) size() int32 { return int32(len(u.atoms)) }

// fresh says that no limit of the outer set holds the string.
func (u *universe) fresh(s string) bool {
	_, held := u.at[s]
	return !held
}

// bounds are the least and the greatest integer of a range.
func (u *universe) bounds(i int) (low, high int64) {
	if i+1 < len(u.cuts) {
		return u.cuts[i], u.cuts[i+1] - 1
	}
	return u.cuts[i], math.MaxInt64
}

// rangeOf finds the range of an integer.
func (u *universe) rangeOf(n int64) int {
	i, found := slices.BinarySearch(u.cuts, n)
	if found {
		return i
	}
	return i - 1
}

// atomOf finds the atom of a string.
func (u *universe) atomOf(s string) int32 {
	if id, held := u.at[s]; held {
		return id
	}
	if n, ok := number(s); ok {
		return u.gap[u.rangeOf(n)]
	}
	return u.size() - 1
}

// span is the atoms of the ranges that meet [low, high].
func (u *universe) span(low, high int64) run {
	if low > high {
		return run{1, 1}
	}
	return run{u.first[u.rangeOf(low)], u.first[u.rangeOf(high)+1]}
}
