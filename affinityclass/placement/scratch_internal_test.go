package placement

import "testing"

func TestAScratchIsGivenBackSmall(t *testing.T) {
	s, of := NewSnapshot(), &scratch{}
	for range 1000 {
		of.firsts().pods = make([]*placed, 100)
	}
	s.giveBack(of)
	if len(of.noted) != keptFirsts || cap(of.noted) > 2*keptFirsts {
		t.Errorf("%d of 1000 pools are kept, with room for %d", len(of.noted), cap(of.noted))
	}
}
