package lineage

import (
	"cmp"
	"slices"
)

// rank orders outcomes of several references of one object. The one that knows
// least wins: guessing in favour of a Pod would be a way around its class.
func rank(outcome Outcome) int {
	switch outcome.(type) {
	case Unmanaged:
		return 1
	case Resolved, Ambiguous:
		return 2
	case Broken:
		return 3
	case Unknown:
		return 4
	}
	return 0
}

// isUnmanaged holds for nil too: no reference was followed.
func isUnmanaged(outcome Outcome) bool { return rank(outcome) <= 1 }

// merge keeps the outcome that ranks higher, the earlier one of equals, and
// joins the releases of both where both reached one.
func merge(a, b Outcome) Outcome {
	switch {
	case rank(a) < rank(b):
		return b
	case rank(a) > rank(b) || rank(a) != rank(Resolved{}):
		return a
	}
	joined := branches(a)
	for _, branch := range branches(b) {
		if !slices.ContainsFunc(joined, func(known Resolved) bool { return sameRelease(known, branch) }) {
			joined = append(joined, branch)
		}
	}
	if len(joined) == 1 {
		return joined[0]
	}
	slices.SortFunc(joined, func(x, y Resolved) int {
		return cmp.Or(cmp.Compare(x.Release.Namespace, y.Release.Namespace), cmp.Compare(x.Release.Name, y.Release.Name))
	})
	return Ambiguous{Branches: joined}
}

func branches(outcome Outcome) []Resolved {
	if ambiguous, ok := outcome.(Ambiguous); ok {
		return slices.Clone(ambiguous.Branches)
	}
	return []Resolved{outcome.(Resolved)}
}

func sameRelease(a, b Resolved) bool {
	return a.Release.Namespace == b.Release.Namespace && a.Release.Name == b.Release.Name
}
