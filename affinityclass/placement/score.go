package placement

import "slices"

// summand is one term of a score, for any node.
type summand struct {
	name  string
	value func(*node) int64
}

// candidates scores the nodes that are left, best first: the tier, the score,
// and of equals a hash of Pod and node, so that no node is favoured for its name.
func (r *run) candidates(left []*node) []Candidate {
	summands := r.summands()
	of := r.scratch
	places := sized(of.places, len(left))
	names := sized(of.names, len(left)) // so that nodes are not read again out of order
	seed := hashed(offset, r.request.object.Namespace, r.request.object.Name)
	values := sized(of.values, len(left)*len(summands))[:0]
	for i, n := range left {
		names[i] = n.name
		at := place{hash: uint32(mixed(hashed(seed, n.name)) >> 32)}
		for _, s := range summands {
			value := s.value(n)
			at.score += value
			values = append(values, value)
		}
		places[i] = at
	}
	of.places, of.names, of.values = places, names, values
	list := make([]Candidate, len(left))
	var last []int64
	for to, from := range of.sorted(places) {
		list[to].Node = names[from]
		own := values[int(from)*len(summands):][:len(summands)]
		if to > 0 && slices.Equal(own, last) { // neighbours in the list are often alike
			list[to].Standing = list[to-1].Standing
			continue
		}
		list[to].Standing = &Standing{Score: places[from].score, Terms: shown(summands, own)}
		last = own
	}
	return list
}

// shown are the summands that are not zero; the load always is.
func shown(summands []summand, values []int64) []Term {
	var terms []Term
	for i, value := range values {
		if value != 0 || i == 0 {
			terms = append(terms, Term{summands[i].name, value})
		}
	}
	return terms
}

// tied is how many share the first place.
func tied(list []Candidate) int {
	for i := range list {
		if list[i].Tier != list[0].Tier || list[i].Score != list[0].Score {
			return i
		}
	}
	return len(list)
}

// offset and prime are those of FNV-1a, 64 bits.
const (
	offset = uint64(14695981039346656037)
	prime  = uint64(1099511628211)
)

// mixed spreads a hash over all its bits, so that its first ones are as good as
// any.
func mixed(hash uint64) uint64 {
	hash ^= hash >> 33
	hash *= prime | 1<<63
	return hash ^ hash>>29
}

// hashed continues a hash over texts, each ended by a zero.
func hashed(hash uint64, texts ...string) uint64 {
	for _, text := range texts {
		for i := range len(text) {
			hash = (hash ^ uint64(text[i])) * prime
		}
		hash *= prime
	}
	return hash
}
