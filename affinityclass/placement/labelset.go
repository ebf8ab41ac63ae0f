package placement

import (
	"maps"
	"slices"
	"strings"
)

// labelSet is a set of labels in one string, shared by all that bear it. It
// implements labels.Labels, so selectors read it as it is.
type labelSet struct {
	text string   // keys and values in the order of the keys, each ended by a zero
	ends []uint32 // where each key and each value ends
}

// newLabelSet writes labels down in a canonical form: equal sets have equal
// texts. No key and no value has a zero in it.
func newLabelSet(labels map[string]string) labelSet {
	var text strings.Builder
	ends := make([]uint32, 0, 2*len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		for _, part := range []string{key, labels[key]} {
			text.WriteString(part)
			ends = append(ends, uint32(text.Len()))
			text.WriteByte(0)
		}
	}
	return labelSet{text: strings.Clone(text.String()), ends: ends}
}

// Lookup returns a label's value, and whether there is one.
func (l labelSet) Lookup(key string) (string, bool) {
	from := 0
	for i := 0; i < len(l.ends); i += 2 {
		end := int(l.ends[i])
		if l.text[from:end] == key {
			return l.text[end+1 : l.ends[i+1]], true
		}
		from = int(l.ends[i+1]) + 1
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
