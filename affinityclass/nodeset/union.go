package nodeset

import (
	"maps"
	"slices"
)

// union is an OR of terms ready to be an outer set.
type union struct {
	terms []term
	keys  []*universe      // sorted by key
	index map[string]int32 // of a key in keys
	boxes []box            // one a term
	all   []int32          // every index into boxes
	plain literals
}

// box is a term as atoms: one side for each limit.
type box []side

// side is the atoms of one key that a box has (in) and has not (out).
type side struct {
	key     int32
	in, out []run
	lacks   bool // absence is among out
	price   int  // of comparing both with a set of atoms, in steps
}

func compile(terms []term) *union {
	c := &union{terms: terms, index: map[string]int32{}, plain: newLiterals(terms)}
	limits := map[string][]*values{}
	for _, t := range terms {
		for i := range t {
			limits[t[i].key] = append(limits[t[i].key], &t[i].values)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(limits)) {
		c.index[key] = int32(len(c.keys))
		c.keys = append(c.keys, newUniverse(key, limits[key]))
	}
	for i, t := range terms {
		c.all = append(c.all, int32(i))
		c.boxes = append(c.boxes, c.box(t))
	}
	return c
}

func (c *union) box(t term) box {
	b := make(box, 0, len(t))
	for i := range t {
		key := c.index[t[i].key]
		u := c.keys[key]
		in := u.runs(&t[i].values)
		out := complement(in, u.size())
		price := 1 + (len(in)+len(out))/runsAStep + len(u.full)/wordsAStep
		b = append(b, side{key: key, in: in, out: out, lacks: !t[i].absent, price: price})
	}
	return b
}

func (c *union) yield(yield func(term) bool) {
	for _, t := range c.terms {
		if !yield(t) {
			return
		}
	}
}
