package binaryaffinity

import (
	"slices"
	"strings"
)

// Annotation holds the value that a Pod asks by.
const Annotation = "affinity.cozystack.io/binary"

// Word is one of the four things that can be asked of a tag.
type Word string

// The words, as they are spelled in a value.
const (
	RequireWith    Word = "require_with_tag"
	RequireWithout Word = "require_without_tag"
	PreferWith     Word = "prefer_with_tag"
	PreferWithout  Word = "prefer_without_tag"
)

// Words are all four in the order in which they are printed and judged.
func Words() []Word {
	return []Word{RequireWith, RequireWithout, PreferWith, PreferWithout}
}

// Value is what a Pod asks. The lists that Parse makes are sorted, hold a tag
// once and are nil when empty; so equal values are deeply equal. The zero Value
// asks nothing.
type Value struct {
	RequireWith, RequireWithout, PreferWith, PreferWithout []string
}

// Tags are the tags that a word is asked of.
func (v Value) Tags(word Word) []string {
	if list := v.list(word); list != nil {
		return *list
	}
	return nil
}

func (v *Value) list(word Word) *[]string {
	switch word {
	case RequireWith:
		return &v.RequireWith
	case RequireWithout:
		return &v.RequireWithout
	case PreferWith:
		return &v.PreferWith
	case PreferWithout:
		return &v.PreferWithout
	}
	return nil
}

// Requires says whether a node can be refused for the value.
func (v Value) Requires() bool { return len(v.RequireWith)+len(v.RequireWithout) > 0 }

// Prefers says whether the value ranks nodes.
func (v Value) Prefers() bool { return len(v.PreferWith)+len(v.PreferWithout) > 0 }

// Empty says that nothing is asked, so that no neighbour need be read.
func (v Value) Empty() bool { return !v.Requires() && !v.Prefers() }

// String prints the value in its one canonical spelling: JSON without spaces,
// words in order, tags sorted, empty lists left out. Parse reads it back as it
// was. A tag holds nothing that JSON would escape.
func (v Value) String() string {
	var members []string
	for _, word := range Words() {
		if tags := v.Tags(word); len(tags) > 0 {
			members = append(members, `"`+string(word)+`":["`+strings.Join(tags, `","`)+`"]`)
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// count is how many tags are named, once per word.
func (v Value) count() int {
	return len(v.RequireWith) + len(v.RequireWithout) + len(v.PreferWith) + len(v.PreferWithout)
}

// normal sorts the lists, in place, and collapses what is repeated.
func (v Value) normal() Value {
	for _, word := range Words() {
		list := v.list(word)
		slices.Sort(*list)
		*list = slices.Compact(*list)
		if len(*list) == 0 {
			*list = nil
		}
	}
	return v
}
