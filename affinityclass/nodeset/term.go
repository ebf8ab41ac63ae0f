package nodeset

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// nodeNameField is the one field of a node that a term can speak of.
const nodeNameField = "metadata.name"

// nodeName is the key of the node's name among the keys of labels: no label has
// the empty key.
const nodeName = ""

// limit is what a term says of one key.
type limit struct {
	key string
	values
}

// term is a conjunction, one limit a key, sorted by key. It is a box: any choice
// within each limit is a node that it matches.
type term []limit

// limit is what the term says of a key.
func (t term) limit(key string) *values {
	if i, found := t.find(key); found {
		return &t[i].values
	}
	return &unlimited(key).values
}

func (t term) find(key string) (i int, found bool) {
	return slices.BinarySearchFunc(t, key, func(l limit, key string) int { return cmp.Compare(l.key, key) })
}

// demand is one requirement or one pair, filed under its key.
type demand struct {
	key  string
	read func(*values)
}

// readTerm reads one term together with the pairs of the nodeSelector. It
// returns false for a term that matches no node: an empty one, one with a
// requirement that Kubernetes cannot parse, one that contradicts itself; also
// when m is spent.
func readTerm(from *corev1.NodeSelectorTerm, pairs term, m *meter) (term, bool) {
	if len(from.MatchExpressions)+len(from.MatchFields) == 0 {
		return nil, false
	}
	demands, ok := readDemands(from, m)
	if !ok {
		return nil, false
	}
	slices.SortStableFunc(demands, func(a, b demand) int { return cmp.Compare(a.key, b.key) })
	return conjoin(pairs, demands, m)
}

// conjoin merges two lists sorted by key into a term.
func conjoin(pairs term, demands []demand, m *meter) (term, bool) {
	if !m.spend(len(pairs)) {
		return nil, false
	}
	t := make(term, 0, len(pairs)+len(demands))
	for len(pairs) > 0 || len(demands) > 0 {
		if len(demands) == 0 || len(pairs) > 0 && pairs[0].key < demands[0].key {
			t, pairs = append(t, pairs[0]), pairs[1:]
			continue
		}
		l := unlimited(demands[0].key)
		if len(pairs) > 0 && pairs[0].key == l.key {
			l.require(pairs[0].only)
			pairs = pairs[1:]
		}
		for ; len(demands) > 0 && demands[0].key == l.key; demands = demands[1:] {
			demands[0].read(&l.values)
		}
		l.settle()
		if l.empty(m) {
			return nil, false
		}
		t = append(t, *l)
	}
	return t, !m.spent()
}

// unlimited is what a term says of a key that it does not mention.
func unlimited(key string) *limit {
	if key == nodeName {
		return &limit{key, anyName()}
	}
	return &limit{key, anything()}
}

// readPairs reads a nodeSelector. It returns false for one that no node has, as
// its keys or values are none, and when m is spent. Kubernetes does not parse
// these pairs: a value that is not valid is just never found.
func readPairs(labels map[string]string, m *meter) (term, bool) {
	if !m.spend(priceRead * len(labels)) {
		return nil, false
	}
	t := make(term, 0, len(labels))
	list := make([]string, 0, len(labels))
	for key, value := range labels {
		if !isKey(key) || !isValue(value) {
			return nil, false
		}
		list = append(list, value)
		t = append(t, limit{key, exactly(list[len(list)-1:])})
	}
	slices.SortFunc(t, func(a, b limit) int { return cmp.Compare(a.key, b.key) })
	return t, true
}
