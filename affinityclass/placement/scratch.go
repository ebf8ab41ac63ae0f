package placement

import "slices"

// scratch is the memory that a preview needs while it is made and not after it.
// Previews of one snapshot hand it on: of many nodes it would be most of what a
// preview allocates, and the cost would grow faster than the nodes.
type scratch struct {
	kept      []*node
	places    []place
	standings standings
	byHash    []int32
	order     []int32
	next      []int32
	noted     []*firsts
	taken     int // of noted
}

// borrow takes a scratch that no other preview uses.
func (s *Snapshot) borrow() *scratch {
	if of, ok := s.scratches.Get().(*scratch); ok {
		of.taken = 0
		return of
	}
	return &scratch{}
}

// keptFirsts is how many of noted a scratch keeps. A Pod of many terms may need more;
// nobody after it is to hold its memory.
const keptFirsts = 16

// giveBack hands a scratch on.
func (s *Snapshot) giveBack(of *scratch) {
	if len(of.noted) > keptFirsts {
		of.noted = slices.Clone(of.noted[:keptFirsts])
	}
	s.scratches.Put(of)
}

// sized is the buffer with a length, what is in it being anything.
func sized[T any](buffer []T, length int) []T {
	return slices.Grow(buffer[:0], length)[:length]
}

// firsts is one that nobody uses, as it was left.
func (s *scratch) firsts() *firsts {
	if s.taken == len(s.noted) {
		s.noted = append(s.noted, &firsts{})
	}
	s.taken++
	return s.noted[s.taken-1]
}
