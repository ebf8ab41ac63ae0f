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
	index int32
}

func (p place) rank(other place) int {
	return cmp.Or(cmp.Compare(other.tier, p.tier), cmp.Compare(other.score, p.score))
}

// sorted orders places: the higher tier, the higher score, the smaller hash. It
// takes time that grows with their number, since a preview must: hashes are
// evenly spread and scores lie near each other, so both are counted out instead
// of compared. Scores far apart are compared.
func sorted(places []place) []place {
	byHash := byHashes(places)
	least, most, tiers := extremes(byHash)
	if tiers || most-least > int64(4*len(places)) {
		slices.SortStableFunc(byHash, place.rank)
		return byHash
	}
	next := make([]int32, most-least+2)
	for i := range byHash {
		next[most-byHash[i].score+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	for i := range byHash {
		at := &next[most-byHash[i].score]
		places[*at] = byHash[i]
		*at++
	}
	return places
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
func byHashes(places []place) []place {
	shift := 32 - bits.Len(uint(len(places)))
	ends := make([]int32, 1<<(32-shift)+1)
	for i := range places {
		ends[places[i].hash>>shift+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	next := slices.Clone(ends)
	byHash := make([]place, len(places))
	for _, p := range places {
		bucket := p.hash >> shift
		byHash[next[bucket]] = p
		next[bucket]++
	}
	for i := 1; i < len(ends); i++ {
		if ends[i]-ends[i-1] > 1 {
			slices.SortFunc(byHash[ends[i-1]:ends[i]], func(a, b place) int {
				return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.index, b.index))
			})
		}
	}
	return byHash
}
