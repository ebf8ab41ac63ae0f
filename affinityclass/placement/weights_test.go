package placement_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// weighs orders nodes as the weighted form did: the weights of the tags of the
// Pods on each, summed.
func weighs(weights map[string]int64, on map[string][]string) map[string]int64 {
	sums := map[string]int64{}
	for name, tags := range on {
		for _, tag := range tags {
			sums[name] += weights[tag]
		}
	}
	return sums
}

// scene puts tagged Pods on five nodes at random.
func scene(random *rand.Rand) (there map[string][]string, state []any) {
	there = map[string][]string{}
	for i := range 5 {
		name := fmt.Sprintf("n%d", i)
		state, there[name] = append(state, node(name)), nil
		for j := range random.IntN(6) {
			tag := string(rune('a' + random.IntN(3)))
			there[name] = append(there[name], tag)
			state = append(state, pod(fmt.Sprintf("p-%d-%d", i, j), on(name), bears(tag)))
		}
	}
	return there, state
}

// A weighted value and its binary equivalent rank alike when all weights have
// one magnitude: the tiers are the sums of the weights, divided by it.
func TestWeightsOfOneMagnitudeRankAsTheirBinaryValue(t *testing.T) {
	rankAlike(t, func(random *rand.Rand) int64 { return random.Int64N(2) })
}

func rankAlike(t *testing.T, sign func(*rand.Rand) int64) {
	random := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		magnitude, weights := 1+random.Int64N(100), map[string]int64{}
		for _, tag := range []string{"a", "b", "c"} {
			weights[tag] = magnitude * sign(random)
		}
		there, state := scene(random)
		text, _ := json.Marshal(weights)
		parsed, _ := binaryaffinity.Parse(string(text), nil)
		s, sums := cluster(state...), weighs(weights, there)
		weighted, equivalent := ask(t, s, pod("new", binary(string(text)))), ask(t, s, pod("new", binary(parsed.Value.String())))
		if diff := cmp.Diff(standing(weighted), standing(equivalent)); diff != "" {
			t.Fatalf("seed 7,7: %s and %s rank differently:\n%s", text, parsed.Value, diff)
		}
		for i, c := range weighted.Candidates {
			if c.Tier*magnitude != sums[c.Node] {
				t.Fatalf("seed 7,7: %s on %s: tier %d, by weight %d", text, c.Node, c.Tier, sums[c.Node])
			}
			if i > 0 && sums[c.Node] > sums[weighted.Candidates[i-1].Node] {
				t.Fatalf("seed 7,7: %s: %s is out of order in %s", text, c.Node, standing(weighted))
			}
		}
	}
}

// With weights of several magnitudes the order is another: that is what is
// given up.
func TestWeightsOfMixedMagnitudesRankOtherwise(t *testing.T) {
	weights := map[string]int64{"a": 100, "b": 1}
	state := slices.Concat([]any{node("x"), node("y")}, crowded("x", "a", 1), crowded("y", "b", 2))
	sums := weighs(weights, map[string][]string{"x": {"a"}, "y": {"b", "b"}})
	p := ask(t, cluster(state...), pod("new", binary(`{"a":100,"b":1}`)))
	if got, want := standing(p), "y +2 -2, x +1 -1"; sums["x"] <= sums["y"] || got != want {
		t.Errorf("by weight %v; got %s, want %s", sums, got, want)
	}
}
