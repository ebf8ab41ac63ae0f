package placement

import (
	"cmp"
	"math/bits"
	"slices"
)

// place is a candidate while it is being ordered: small, since they are read in
// the order of their hashes, which is any.
type place struct {
	hash     uint32
	standing int32
}

// sorted lists the places, best first: the better rank of the standing, the
// smaller hash. It takes time that grows with their number, since a preview
// must: hashes are evenly spread and ranks are few, so both are counted out
// instead of compared.
func (s *scratch) sorted(places []place, ranks []int32) []int32 {
	byHash := s.byHashes(places)
	next := s.counters(int(slices.Max(ranks)) + 2)
	for i := range places {
		next[ranks[places[i].standing]+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	order := sized(s.order, len(places))
	s.order = order
	for _, i := range byHash {
		at := &next[ranks[places[i].standing]]
		order[*at] = i
		*at++
	}
	return order
}

// byHashes orders by hash alone: into as many buckets as there are places, and
// each of those few by comparing.
func (s *scratch) byHashes(places []place) []int32 {
	shift := 32 - bits.Len(uint(len(places)))
	next := s.counters(1<<(32-shift) + 1)
	for i := range places {
		next[places[i].hash>>shift+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	order := sized(s.byHash, len(places))
	s.byHash = order
	for i := range places {
		bucket := places[i].hash >> shift
		order[next[bucket]] = int32(i)
		next[bucket]++
	}
	from := int32(0)
	for _, end := range next { // where each bucket ends, now that it is full
		switch {
		case end-from > 32: // which no hash does by itself
			slices.SortStableFunc(order[from:end], func(a, b int32) int { return cmp.Compare(places[a].hash, places[b].hash) })
		case end-from > 1:
			insert(order[from:end], places)
		}
		from = max(from, end)
	}
	return order
}

// insert sorts the few places of a bucket by hash; equal ones stay as they came.
func insert(bucket []int32, places []place) {
	for i := 1; i < len(bucket); i++ {
		own := bucket[i]
		at := i
		for ; at > 0 && places[bucket[at-1]].hash > places[own].hash; at-- {
			bucket[at] = bucket[at-1]
		}
		bucket[at] = own
	}
}

// counters are that many zeros.
func (s *scratch) counters(many int) []int32 {
	s.next = sized(s.next, many)
	clear(s.next)
	return s.next
}
