package placement_test

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAvoid is about what is to be avoided. It fails when the scorer takes no
// notice of that, and nothing else here does.
func TestAvoid(t *testing.T) {
	nodes := []any{node("x"), node("y")}
	for _, tt := range []struct {
		reason, value, want string
		state               []any
	}{
		{"whom it would not be with outweighs load", `{"prefer_without_tag":["noisy"]}`, "y +0 -2, x -1 -1",
			append(crowded("x", "noisy", 1), pod("u", on("y")), pod("s", on("y")))},
		{"three to be with outvote one to be without, +2 against +1", both, "x +2 -4, y +1 -1",
			slices.Concat(crowded("x", "a", 3), crowded("x", "b", 1), crowded("y", "a", 1))},
		{"as many for as against are nobody", both, "y +0 0, x +0 -2", slices.Concat(crowded("x", "a", 1), crowded("x", "b", 1))},
		{"a weighted value says the same", `{"a":7,"b":-7}`, "x +2 -4, y -1 -1",
			slices.Concat(crowded("x", "a", 3), crowded("x", "b", 1), crowded("y", "b", 1))},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if got := standing(ask(t, cluster(append(tt.state, nodes...)...), pod("new", binary(tt.value), translated))); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	t.Run("weights of one magnitude and both signs rank as their binary value", func(t *testing.T) {
		rankAlike(t, func(random *rand.Rand) int64 { return random.Int64N(3) - 1 })
	})
	t.Run("with the only node without it dropped, there was no choice", func(t *testing.T) {
		s := cluster(slices.Concat([]any{node("x", cordoned), node("y"), node("z")}, crowded("y", "b", 1), crowded("z", "b", 1))...)
		p := ask(t, s, pod("new", binary(both)))
		if p.Informative || p.AffineNode != "x" {
			t.Errorf("got %v, %q of %q", p.Informative, p.InformativeReason, p.AffineNode)
		}
	})
}
