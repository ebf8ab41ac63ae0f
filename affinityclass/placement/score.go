package placement

// summand is one term of a score, for any node.
type summand struct {
	name  string
	value func(*node) int64
}

// candidates scores the nodes that are left, best first: the tier, the score,
// and of equals a hash of Pod and node, so that no node is favoured for its name.
func (r *run) candidates(left []*node) []Candidate {
	summands, tiers := r.summands(), r.tiers()
	if !r.spend(len(left) * r.scoreSteps()) {
		return nil
	}
	of := r.scratch
	of.standings.reset(1 + len(summands))
	places := sized(of.places, len(left))
	seed := hashed(offset, r.request.object.Namespace, r.request.object.Name)
	row := make([]int64, 1+len(summands))
	for i, n := range left {
		row[0] = tiers.tier(n)
		for j := range summands {
			row[1+j] = summands[j].value(n)
		}
		places[i] = place{hash: uint32(mixed(seed^n.hash) >> 32), standing: of.standings.number(row)}
	}
	of.places = places
	standings := of.standings.list(summands)
	list := make([]Candidate, len(left))
	for to, from := range of.sorted(places, ranks(standings)) {
		list[to] = Candidate{left[from].name, &standings[places[from].standing]}
	}
	tiers.show(list, r.nodes)
	return list
}

// scoreSteps is what it costs to score one node.
func (r *run) scoreSteps() int {
	return nodeSteps + len(r.request.prefer) + len(r.request.spread) + len(r.request.tolerations) + r.request.preferSteps
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
// any and two Pods see the nodes in orders of their own.
// Source: the last step of MurmurHash3, 64 bits.
func mixed(hash uint64) uint64 {
	hash ^= hash >> 33
	hash *= 0xff51afd7ed558ccd
	hash ^= hash >> 33
	hash *= 0xc4ceb9fe1a85ec53
	return hash ^ hash>>33
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
