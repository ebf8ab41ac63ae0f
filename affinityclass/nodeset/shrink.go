package nodeset

import (
	"maps"
	"slices"
)

// shrink drops labels from a witness that was found before the budget ended and
// so may not be a smallest one, until none can be dropped: the inner term that
// accepts it asks for the label, or the outer set would accept the rest.
func (s *search) shrink(m *meter) {
	w := s.shows
	for dropped := true; dropped; {
		dropped = false
		for _, key := range slices.Sorted(maps.Keys(w.Labels)) {
			if !s.by.limit(key).absent {
				continue
			}
			value := w.Labels[key]
			delete(w.Labels, key)
			if s.outer.mayHold(w, m) {
				w.Labels[key] = value
			} else {
				dropped = true
			}
		}
	}
}

// mayHold says whether a node with the witness's labels, and its name or any
// name if it has none, can be in the set; also when m is spent.
func (c *union) mayHold(w *Witness, m *meter) bool {
	for _, t := range c.terms {
		if t.mayHold(w, m) {
			return true
		}
	}
	return m.spent()
}

func (t term) mayHold(w *Witness, m *meter) bool {
	for i := range t {
		l := &t[i]
		if !m.spend(1) {
			return true
		}
		if l.key == nodeName {
			if w.Name != "" && !l.has(w.Name) {
				return false
			}
			continue
		}
		value, ok := w.Labels[l.key]
		if ok && !l.has(value) || !ok && !l.absent {
			return false
		}
	}
	return true
}
