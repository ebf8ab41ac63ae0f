package placement

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Counting must give the order that comparing gives, whatever the tiers and
// however far apart the scores.
func TestSortedIsTheOrderOfComparing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 500 {
		list := make([]Standing, 1+random.IntN(300))
		spread := 1 + random.Int64N(1<<uint(1+random.IntN(40)))
		tiers := 1 + random.Int64N(3)
		for i := range list {
			list[i] = Standing{Score: random.Int64N(spread) - spread/2, Tier: random.Int64N(tiers)}
		}
		places := make([]place, 1+random.IntN(300))
		for i := range places {
			places[i] = place{standing: random.Int32N(int32(len(list))), hash: random.Uint32() >> uint(random.IntN(30))}
		}
		want := make([]int32, len(places))
		for i := range want {
			want[i] = int32(i)
		}
		slices.SortFunc(want, func(a, b int32) int {
			p, q := &list[places[a].standing], &list[places[b].standing]
			return cmp.Or(cmp.Compare(q.Tier, p.Tier), cmp.Compare(q.Score, p.Score),
				cmp.Compare(places[a].hash, places[b].hash), cmp.Compare(a, b))
		})
		if got := (&scratch{}).sorted(places, ranks(list)); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v, of %v and %v", got, want, places, list)
		}
	}
}

func TestRowsThatAreEqualAndOnlyTheyStandAlike(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	var s standings // used again and again, as a scratch is
	for range 200 {
		width := 1 + random.IntN(4)
		s.reset(width)
		numbers := map[string]int32{}
		for range 1000 {
			row := make([]int64, width)
			for i := range row {
				row[i] = random.Int64N(10) - 5
			}
			number := s.number(row)
			if !slices.Equal(s.row(number), row) {
				t.Fatalf("%v got the number of %v", row, s.row(number))
			}
			before, had := numbers[fmt.Sprint(row)]
			if had && before != number {
				t.Fatalf("%v got the numbers %d and %d", row, before, number)
			}
			numbers[fmt.Sprint(row)] = number
		}
		if s.count() != len(numbers) {
			t.Fatalf("%d standings for %d rows", s.count(), len(numbers))
		}
	}
}
