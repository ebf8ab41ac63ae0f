package nodeset

import (
	"math"
	"slices"
)

// values is what a term says of one key: a set over {absent} ∪ strings. The
// strings are those listed, or all but some and perhaps only integers in a
// range. Every conjunction of requirements on a key is such a set.
type values struct {
	absent bool // the key may be missing

	listed bool     // the strings are those of only, and nothing below counts
	only   []string // sorted

	except    []string // sorted
	integer   bool     // only integers from low to high
	low, high int64
}

// anything is what a term says of a label it does not mention.
func anything() values { return values{absent: true, high: math.MaxInt64} }

// anyName is what a term says of the node's name, which no node lacks.
func anyName() values { return values{high: math.MaxInt64} }

// exactly is what one pair of a nodeSelector says.
func exactly(only []string) values { return values{listed: true, only: only} }

// require lists strings (In). Those that came before stay if listed again.
func (v *values) require(list []string) {
	list = slices.Clone(list)
	slices.Sort(list)
	if v.listed {
		list = filter(list, func(s string) bool { return contains(v.only, s) })
	}
	v.absent, v.listed, v.only = false, true, slices.Compact(list)
}

// refuse takes strings out (NotIn, which an absent key matches).
func (v *values) refuse(list []string) { v.except = append(v.except, list...) }

// exist takes absence out (Exists).
func (v *values) exist() { v.absent = false }

// lack takes every string out (DoesNotExist).
func (v *values) lack() { v.listed, v.only = true, nil }

// above and below keep integers only (Gt, Lt); an absent key matches neither.
func (v *values) above(n int64) {
	v.absent, v.integer = false, true
	if n == math.MaxInt64 {
		v.lack()
		return
	}
	v.low = max(v.low, n+1)
}

func (v *values) below(n int64) {
	v.absent, v.integer = false, true
	v.high = min(v.high, n-1)
}

// settle brings what was gathered into the form that the other methods read.
func (v *values) settle() {
	slices.Sort(v.except)
	v.except = slices.Compact(v.except)
	if v.listed {
		v.only = filter(v.only, v.admits)
		v.except, v.integer, v.low, v.high = nil, false, 0, math.MaxInt64
	}
}

// admits says whether an unlisted set has the string.
func (v *values) admits(s string) bool {
	if v.integer {
		if n, ok := number(s); !ok || n < v.low || n > v.high {
			return false
		}
	}
	return !contains(v.except, s)
}

func (v *values) has(s string) bool {
	if v.listed {
		return contains(v.only, s)
	}
	return v.admits(s)
}

// empty says that not even absence is left. Words are never used up by the
// strings that a formula can hold; the spellings of an integer can be.
func (v *values) empty(m *meter) bool {
	switch {
	case v.absent:
		return false
	case v.listed:
		return len(v.only) == 0
	case !v.integer:
		return false
	}
	_, ok := spelling(v.low, v.high, v.free, m)
	return !ok
}

func (v *values) free(s string) bool { return !contains(v.except, s) }

func contains(sorted []string, s string) bool {
	switch len(sorted) {
	case 0:
		return false
	case 1:
		return sorted[0] == s
	}
	_, found := slices.BinarySearch(sorted, s)
	return found
}

func filter(list []string, keep func(string) bool) []string {
	kept := list[:0]
	for _, s := range list {
		if keep(s) {
			kept = append(kept, s)
		}
	}
	return kept
}
