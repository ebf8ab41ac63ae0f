package binaryaffinity_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

const both = `{"prefer_with_tag":["a"],"prefer_without_tag":["b"]}`

// score is a value, who is on a node, and what is seen of them.
type score struct {
	value string
	pods  []binaryaffinity.Placed
	want  binaryaffinity.Sight
}

func (s score) check(t *testing.T) {
	if diff := cmp.Diff(s.want, ask(t, s.value).Look(all(s.pods...))); diff != "" {
		t.Error(diff)
	}
}

func TestAScoreIsASumOverNeighboursAndTags(t *testing.T) {
	a := func(name string) binaryaffinity.Placed { return pod(name, "n", "a") }
	for name, test := range map[string]score{
		"nobody there":                          {both, nil, binaryaffinity.Sight{}},
		"one with and none without is less":     {both, []binaryaffinity.Placed{a("1")}, binaryaffinity.Sight{Score: 1, InstanceCount: 1, Considered: []string{"1"}}},
		"five weigh more than one":              {`{"prefer_with_tag":["a"]}`, []binaryaffinity.Placed{a("1"), a("2"), a("3"), a("4"), a("5")}, binaryaffinity.Sight{Score: 5, InstanceCount: 5, Considered: []string{"1", "2", "3", "4", "5"}}},
		"both tags on one Pod, it counts twice": {`{"prefer_with_tag":["a","b"]}`, []binaryaffinity.Placed{pod("1", "n", "a", "b")}, binaryaffinity.Sight{Score: 2, InstanceCount: 1, Considered: []string{"1"}}},
		"what is required scores nothing":       {`{"require_with_tag":["a"]}`, []binaryaffinity.Placed{a("1")}, binaryaffinity.Sight{}},
		"other tags score nothing":              {both, []binaryaffinity.Placed{pod("1", "n", "c")}, binaryaffinity.Sight{}},
	} {
		t.Run(name, test.check)
	}
}

// TestAvoid is about what is to be avoided. It fails when the scorer takes no
// notice of that, and nothing else here does.
func TestAvoid(t *testing.T) {
	a := func(name string) binaryaffinity.Placed { return pod(name, "n", "a") }
	b := func(name string) binaryaffinity.Placed { return pod(name, "n", "b") }
	for name, test := range map[string]score{
		"three with outvote one without":       {both, []binaryaffinity.Placed{a("1"), b("4"), a("3"), a("2")}, binaryaffinity.Sight{Score: 2, InstanceCount: 4, Considered: []string{"1", "2", "3", "4"}}},
		"avoided, each counts against":         {`{"prefer_without_tag":["b"]}`, []binaryaffinity.Placed{b("1"), b("2")}, binaryaffinity.Sight{Score: -2, InstanceCount: 2, Considered: []string{"1", "2"}}},
		"for and against cancel, and are seen": {both, []binaryaffinity.Placed{pod("1", "n", "a", "b")}, binaryaffinity.Sight{InstanceCount: 1, Considered: []string{"1"}}},
	} {
		t.Run(name, test.check)
	}
	t.Run("weights of one magnitude and both signs keep their order", func(t *testing.T) {
		keepOrder(t, func(random *rand.Rand) int64 { return random.Int64N(3) - 1 })
	})
}

func TestWhoAsksNothingReadsNobody(t *testing.T) {
	got := ask(t, `{}`).Look(func(func(*binaryaffinity.Placed) bool) { t.Error("a neighbour was read") })
	if diff := cmp.Diff(binaryaffinity.Sight{}, got); diff != "" {
		t.Error(diff)
	}
}

// weigh scores as the weighted form did: the weights of the tags, summed.
func weigh(weights map[string]int64, pods []binaryaffinity.Placed) (sum int64) {
	for i := range pods {
		for tag, weight := range weights {
			if pods[i].Bears(tag) {
				sum += weight
			}
		}
	}
	return sum
}

func TestWeightsOfOneMagnitudeKeepTheirOrder(t *testing.T) {
	keepOrder(t, func(random *rand.Rand) int64 { return random.Int64N(2) })
}

func keepOrder(t *testing.T, sign func(*rand.Rand) int64) {
	random := rand.New(rand.NewPCG(3, 5))
	for range 5_000 {
		magnitude, weights := random.Int64N(100)+1, map[string]int64{}
		for _, tag := range []string{"a", "b", "c"} {
			weights[tag] = magnitude * sign(random)
		}
		one, two := crowd(random), crowd(random)
		text, _ := json.Marshal(weights)
		a := ask(t, string(text))
		binary := a.Look(all(one...)).Score - a.Look(all(two...)).Score
		if weighted := weigh(weights, one) - weigh(weights, two); weighted != magnitude*binary {
			t.Fatalf("%s: %d and %d for %v and %v", text, weighted, binary, one, two)
		}
	}
}

func crowd(random *rand.Rand) (pods []binaryaffinity.Placed) {
	for i := range random.IntN(6) {
		p := pod(fmt.Sprint(i), "n")
		for _, tag := range []string{"a", "b", "c"} {
			if random.IntN(2) == 0 {
				p.Tags = append(p.Tags, tag)
			}
		}
		pods = append(pods, p)
	}
	return pods
}

func TestWeightsOfMixedMagnitudesLoseTheirOrder(t *testing.T) {
	weights := map[string]int64{"a": 100, "b": 1}
	a := ask(t, `{"a": 100, "b": 1}`)
	hasA, hasB := []binaryaffinity.Placed{pod("1", "n", "a")}, []binaryaffinity.Placed{pod("2", "n", "b")}
	if weigh(weights, hasA) <= weigh(weights, hasB) {
		t.Error("by weight, a must win")
	}
	if got, want := a.Look(all(hasA...)).Score, a.Look(all(hasB...)).Score; got != want || got != 1 {
		t.Errorf("binary, they score %d and %d, wanted 1 and 1", got, want)
	}
}
