package placement

import (
	"cmp"
	"math/rand"
	"slices"
	"testing"
)

// Counting must give the order that comparing gives, whether scores are near or
// far, and with tiers.
func TestSortedIsTheOrderOfComparing(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 500 {
		places := make([]place, 1+random.Intn(300))
		spread := 1 + random.Int63n(1<<uint(1+random.Intn(40)))
		tiers := 1 + random.Int31n(3)
		for i := range places {
			places[i] = place{score: random.Int63n(spread) - spread/2, tier: random.Int31n(tiers), hash: random.Uint32() >> uint(random.Intn(30))}
		}
		want := make([]int32, len(places))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortFunc(want, func(a, b int32) int {
			p, q := places[a], places[b]
			return cmp.Or(cmp.Compare(q.tier, p.tier), cmp.Compare(q.score, p.score), cmp.Compare(p.hash, q.hash), cmp.Compare(a, b))
		})
		if got := sorted(places); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v, of %v", got, want, places)
		}
	}
}
