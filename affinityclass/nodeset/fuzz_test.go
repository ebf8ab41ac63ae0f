package nodeset

import "testing"

// FuzzSubset asks about two formulas in the notation of the tests. The nodes that
// it tries need not be enough for any formula, so only what they show is wrong.
func FuzzSubset(f *testing.F) {
	f.Add("disk=ssd; zone in dc1 dc3", "zone in dc1 | zone in dc2")
	f.Add("a gt 7; a notin 8 08 | b absent", "a gt 8; a lt 10 | a exists; b notin x")
	f.Add("@ in n1; a exists | @ notin n1 | ()", "@ notin n1 | a in x; @ in n1 | none")
	f.Add("a near x | b in | c exists x", "a=-x; a/b/c gt -1 | @x in \"\"")
	f.Fuzz(func(t *testing.T, in, out string) {
		inner, outer := parse(in), parse(out)
		answer := Subset(inner.set(), outer.set())
		w := newWorld(inner, outer)
		i, o := newOracle(inner), newOracle(outer)
		least := none
		if w.size() < 5_000 {
			least = w.smallest(i, o)
		}
		switch a := answer.(type) {
		case Inside:
			if least != none {
				t.Errorf("%s ⊆ %s: some node is outside", in, out)
			}
		case Outside:
			if !valid(a.Witness) || !w.shows(a.Witness, i, o) || least != none && least < len(a.Witness.Labels) {
				t.Errorf("%s ⊆ %s: %s shows nothing, or there is a smaller one of %d", in, out, a.Witness, least)
			}
		case Unproven:
			if len(in)+len(out) < 100 {
				t.Errorf("%s ⊆ %s: undecided", in, out)
			}
		}
	})
}
