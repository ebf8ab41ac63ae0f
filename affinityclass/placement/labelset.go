package placement

import (
	"maps"
	"slices"
	"strings"
)

// labelSet is a set of labels in one string, shared by all that bear it. It
// implements labels.Labels, so selectors read it as it is.
type labelSet struct {
	text string   // keys and values in the order of the keys, end to end
	ends []uint32 // where each key and each value ends
}

// newLabelSet writes labels down in a canonical form.
func newLabelSet(labels map[string]string) labelSet {
	var text strings.Builder
	ends := make([]uint32, 0, 2*len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		text.WriteString(key)
		ends = append(ends, uint32(text.Len()))
		text.WriteString(labels[key])
		ends = append(ends, uint32(text.Len()))
	}
	return labelSet{text: text.String(), ends: ends}
}

// id tells sets apart that happen to have the same letters.
func (l labelSet) id() string {
	var id strings.Builder
	id.Grow(len(l.text) + 2*len(l.ends))
	from := uint32(0)
	for _, end := range l.ends {
		id.WriteString(l.text[from:end])
		id.WriteByte(0)
		from = end
	}
	return id.String()
}

// Lookup returns a label's value, and whether there is one.
func (l labelSet) Lookup(key string) (string, bool) {
	from := uint32(0)
	for i := 0; i < len(l.ends); i += 2 {
		end := l.ends[i]
		if l.text[from:end] == key {
			return l.text[end:l.ends[i+1]], true
		}
		from = l.ends[i+1]
	}
	return "", false
}

// Has says whether there is such a label.
func (l labelSet) Has(key string) bool {
	_, ok := l.Lookup(key)
	return ok
}

// Get returns a label's value, empty when there is none.
func (l labelSet) Get(key string) string {
	value, _ := l.Lookup(key)
	return value
}
