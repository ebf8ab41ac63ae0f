package nodeset

import (
	"maps"
	"slices"
	"strings"
)

// Answer says whether one set lies inside another. It is closed: Inside,
// Outside or Unproven.
type Answer interface{ answer() }

// Inside says that every node of the inner set is in the outer one.
type Inside struct{}

// Outside says that some node is in the inner set and not in the outer one, and
// shows one.
type Outside struct{ Witness Witness }

// Unproven says that Budget was spent before the question was decided.
type Unproven struct{}

func (Inside) answer()   {}
func (Outside) answer()  {}
func (Unproven) answer() {}

// Witness is a node in the inner set and not in the outer one. No such node has
// fewer labels, unless Budget ended while smaller ones were sought; then it has
// no label that it could do without, as far as a fourth of Budget could tell.
type Witness struct {
	// Labels are all labels of the node, valid ones; none is possible.
	Labels map[string]string
	// Name is the node's name, empty when every name would do.
	Name string
}

// String shows the witness as key=value pairs sorted by key, the name before
// them as metadata.name; "no labels" when there is nothing to show.
func (w Witness) String() string {
	var parts []string
	if w.Name != "" {
		parts = append(parts, nodeNameField+"="+w.Name)
	}
	for _, key := range slices.Sorted(maps.Keys(w.Labels)) {
		parts = append(parts, key+"="+w.Labels[key])
	}
	if len(parts) == 0 {
		return "no labels"
	}
	return strings.Join(parts, ", ")
}
