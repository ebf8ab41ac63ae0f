package placement

import "strings"

// TopologyKey is the label by whose values the constraint behind a reason divides
// the nodes; empty when it does not divide them. It stands at the end of the term,
// after the last " on ", which no label key has in it.
func (r *Reason) TopologyKey() string {
	at := strings.LastIndex(r.Term, " on ")
	if at < 0 {
		return ""
	}
	return r.Term[at+len(" on "):]
}

// Theirs says whether the constraint is the blocking Pod's own, and not the
// request's.
func (r *Reason) Theirs() bool { return strings.HasPrefix(r.Rule, theirsPrefix) }
