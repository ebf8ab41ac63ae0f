package nodeset

// Subset says whether every node of inner is a node of outer, and if not, shows
// one. Inside and Outside are always right; Unproven means that Budget did not
// suffice. The same sets give the same answer, the same witness too.
//
// The plain case costs no allocation: outer is compiled, and all pairs of one of
// its terms stand in inner's labels. Outer should be compiled (Union, Compile);
// if not, it is compiled here, outside Budget.
func Subset(inner, outer Set) Answer {
	within := outer.Compile().union
	if inner.union == nil && within.plain.hold(inner.labels) {
		return Inside{}
	}
	return decide(inner, within, &meter{left: Budget})
}

func decide(inner Set, outer *union, m *meter) Answer {
	s := newSearch(outer, m)
	for t := range inner.terms(m) {
		s.ask(t)
		if m.spent() || s.best == 0 {
			break
		}
	}
	switch {
	case s.shows == nil && m.spent():
		return Unproven{}
	case s.shows == nil:
		return Inside{}
	case m.spent():
		s.shrink(&meter{left: Budget / 4})
	}
	return Outside{Witness: *s.shows}
}
