package placement

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// Counting must give the order that comparing gives, whether scores are near or
// far, and with tiers.
func TestSortedIsTheOrderOfComparing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 500 {
		places := make([]place, 1+random.IntN(300))
		spread := 1 + random.Int64N(1<<uint(1+random.IntN(40)))
		tiers := 1 + random.Int32N(3)
		for i := range places {
			places[i] = place{score: random.Int64N(spread) - spread/2, tier: random.Int32N(tiers), hash: random.Uint32() >> uint(random.IntN(30))}
		}
		want := make([]int32, len(places))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortFunc(want, func(a, b int32) int {
			p, q := places[a], places[b]
			return cmp.Or(cmp.Compare(q.tier, p.tier), cmp.Compare(q.score, p.score), cmp.Compare(p.hash, q.hash), cmp.Compare(a, b))
		})
		if got := (&scratch{}).sorted(places); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v, of %v", got, want, places)
		}
	}
}
