package nodeset

import "slices"

// change is what undo restores.
type change struct {
	key, owner int32
	state      atomSet
}

const shared = -1

// narrow takes runs out of the state of a key.
func (s *search) narrow(key int32, out []run) {
	state := s.state[key]
	s.m.spend(1 + len(state)/wordsAStep)
	if s.owner[key] != s.depth {
		s.trail = append(s.trail, change{key, s.owner[key], state})
		state = slices.Clone(state)
		s.state[key], s.owner[key] = state, s.depth
	}
	had := state.has(absent)
	state.remove(out)
	if had && !state.has(absent) {
		s.labels++
	}
}

func (s *search) undo(mark, labels int) {
	for _, c := range slices.Backward(s.trail[mark:]) {
		s.state[c.key], s.owner[c.key] = c.state, c.owner
	}
	s.trail, s.labels = s.trail[:mark], labels
}
