package placement

import (
	"cmp"
	"math/bits"
	"slices"
)

// place is a candidate while it is being ordered.
type place struct {
	score int64
	tier  int32
	hash  uint32
}

func (p place) rank(other place) int {
	return cmp.Or(cmp.Compare(other.tier, p.tier), cmp.Compare(other.score, p.score))
}

// sorted lists the places, best first: the higher tier, the higher score, the
// smaller hash. It takes time that grows with their number, since a preview
// must: hashes are evenly spread and scores lie near each other, so both are
// counted out instead of compared. Scores far apart are compared.
func (s *scratch) sorted(places []place) []int32 {
	byHash := s.byHashes(places)
	least, most, tiers := extremes(places)
	if tiers || most-least > int64(4*len(places)) {
		slices.SortStableFunc(byHash, func(a, b int32) int { return places[a].rank(places[b]) })
		return byHash
	}
	next := s.counters(int(most-least) + 2)
	for i := range places {
		next[most-places[i].score+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	order := sized(s.order, len(places))
	s.order = order
	for _, i := range byHash {
		at := &next[most-places[i].score]
		order[*at] = i
		*at++
	}
	return order
}

// extremes are the least and the greatest score, and whether tiers differ.
func extremes(places []place) (least, most int64, tiers bool) {
	least, most = places[0].score, places[0].score
	for i := range places {
		least, most = min(least, places[i].score), max(most, places[i].score)
		tiers = tiers || places[i].tier != places[0].tier
	}
	return least, most, tiers
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
