package nodeset

import "slices"

// literals are the terms that say no more than a nodeSelector could, filed so
// that the plain question costs the same before one class and before hundreds:
// does a nodeSelector hold all pairs of some term?
type literals struct {
	all   bool              // some term has no pairs: it holds every node
	keys  []string          // the first keys of the terms
	first map[pair][][]pair // by the first pair of a term, its other pairs
}

type pair struct{ key, value string }

func newLiterals(terms []term) literals {
	l := literals{first: map[pair][][]pair{}}
	for _, t := range terms {
		pairs, ok := literal(t)
		switch {
		case !ok:
		case len(pairs) == 0:
			l.all = true
		default:
			l.first[pairs[0]] = append(l.first[pairs[0]], pairs[1:])
			l.keys = append(l.keys, pairs[0].key)
		}
	}
	slices.Sort(l.keys)
	l.keys = slices.Compact(l.keys)
	return l
}

// literal returns the pairs of a term, ok false if it says more. A name makes a
// pair that is never found: no nodeSelector of a node has the empty key.
func literal(t term) (pairs []pair, ok bool) {
	for i := range t {
		l := &t[i]
		if !l.listed || len(l.only) != 1 {
			return nil, false
		}
		pairs = append(pairs, pair{l.key, l.only[0]})
	}
	return pairs, true
}

// hold says whether every node with the labels is in a literal term.
func (l *literals) hold(labels map[string]string) bool {
	return l.all || slices.ContainsFunc(l.keys, func(key string) bool {
		value, ok := labels[key]
		return ok && slices.ContainsFunc(l.first[pair{key, value}], func(rest []pair) bool {
			return !slices.ContainsFunc(rest, func(p pair) bool {
				value, ok := labels[p.key]
				return !ok || value != p.value
			})
		})
	})
}
