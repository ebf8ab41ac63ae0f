package nodeset

import (
	"math"
	"slices"
)

// search looks for a point of an inner term outside all boxes of the outer set,
// with the fewest labels. Its state is the inner term as a box of atoms, which
// narrows on the way down and is restored on the way up; a box that the state
// does not meet is refuted.
type search struct {
	outer *union
	m     *meter
	inner term // asked about now

	state  []atomSet // one a key of outer
	owner  []int32   // the depth that may write to a state; else it is shared
	trail  []change
	depth  int32
	labels int // that every point of the state has

	best  int // labels of the witness, else more than any node has
	shows *Witness
	by    term // the inner term that accepts the witness
}

func newSearch(outer *union, m *meter) *search {
	n := len(outer.keys)
	return &search{outer: outer, m: m, state: make([]atomSet, n), owner: make([]int32, n), best: math.MaxInt}
}

// ask searches one inner term for a better witness than the one there is.
func (s *search) ask(inner term) {
	s.inner, s.labels, s.trail = inner, required(inner), s.trail[:0]
	if !s.m.spend(priceAsk+len(inner)+len(s.state)/limitsAStep) || s.hopeless() {
		return
	}
	for key, u := range s.outer.keys {
		s.state[key], s.owner[key] = u.full, shared
	}
	for i := range inner {
		if key, ok := s.outer.index[inner[i].key]; ok {
			s.state[key] = s.outer.keys[key].project(&inner[i].values, s.m)
		}
	}
	s.solve(s.outer.all)
}

// required counts the labels that no node of a term can do without.
func required(t term) int {
	n := 0
	for i := range t {
		if !t[i].absent && t[i].key != nodeName {
			n++
		}
	}
	return n
}

// solve searches the state, in which only the open boxes are not known to be
// refuted.
func (s *search) solve(open []int32) {
	open, next, alive := s.propagate(open)
	switch {
	case !alive || s.hopeless():
		return
	case next == none:
		s.record()
		return
	}
	s.branch(s.outer.boxes[next], open)
}

// hopeless says that nothing better is to be found in the state.
func (s *search) hopeless() bool { return s.m.spent() || s.labels >= s.best }

// propagate drops the boxes that the state does not meet. Where only one exit
// from a box is left, the state takes it. It returns the box with the fewest
// exits, none if the bare point is outside all; alive is false if a box has no
// exit.
func (s *search) propagate(boxes []int32) (open []int32, next int32, alive bool) {
	for again := true; again; boxes = open {
		again, next = false, none
		fewest := math.MaxInt
		open = make([]int32, 0, min(len(boxes), 16))
		for _, b := range boxes {
			exits, exit := s.exits(s.outer.boxes[b])
			if exits == 0 || s.hopeless() {
				return nil, none, false
			}
			switch exits {
			case refuted:
			case 1:
				s.narrow(exit.key, exit.in)
				again = true
			default:
				open = append(open, b)
				if exits < fewest {
					fewest, next = exits, b
				}
			}
		}
	}
	return open, next, true
}

const (
	refuted = -1          // no exit is needed: the state does not meet the box
	bare    = math.MaxInt // nor for now: the bare point is not in the box
)

// exits counts the sides of a box through which the state reaches out of it, and
// returns the last of them; or refuted, or bare. The bare point of the state has
// no label that it can do without.
func (s *search) exits(b box) (exits int, exit *side) {
	if s.escapesBare(b) {
		return bare, nil
	}
	for i := range b {
		d := &b[i]
		if !s.m.spend(d.price) || !s.state[d.key].meets(d.in) {
			return refuted, nil
		}
		if s.state[d.key].meets(d.out) {
			exits, exit = exits+1, d
		}
	}
	return exits, exit
}

// escapesBare says whether the bare point is outside a box. When m is spent, so
// that nothing is known, it says so of every box.
func (s *search) escapesBare(b box) bool {
	i := slices.IndexFunc(b, func(d side) bool { return d.lacks && s.state[d.key].has(absent) })
	looked := i
	if i == none {
		looked = len(b)
	}
	return !s.m.spend(1+looked/sidesAStep) || i != none
}

// branch tries each way out of a box. The points that leave through an earlier
// one are done with, so later ones stay inside it. Exits that need no label come
// first: they lead to smaller witnesses.
func (s *search) branch(b box, open []int32) {
	for _, d := range s.ways(b) {
		mark, labels := len(s.trail), s.labels
		s.depth++
		s.narrow(d.key, d.in)
		s.solve(open)
		s.depth--
		s.undo(mark, labels)
		if s.hopeless() {
			return
		}
		s.narrow(d.key, d.out)
	}
}

// ways are the exits of a box that holds the bare point, in the order to try
// them: the first ones need no label that the state has not.
func (s *search) ways(b box) []*side {
	var free, paid []*side
	for i := range b {
		d := &b[i]
		switch state := s.state[d.key]; {
		case !state.meets(d.out):
		case state.has(absent):
			paid = append(paid, d)
		default:
			free = append(free, d)
		}
	}
	return slices.Concat(free, paid)
}
