package e2e_test

import "testing"

// How the scheduler says that it was the terms.
const (
	noNeighbour = "didn't match pod affinity rules"
	aNeighbour  = "didn't match pod anti-affinity rules"
	repelled    = "didn't satisfy existing pods anti-affinity rules"
)

// The table of the translation, row by row.

func TestRequireWithTagLandsBesideABearer(t *testing.T) {
	s := onStage(t, "bin-with")
	const web = `{"require_with_tag":["web"]}`
	s.waits(t, noNeighbour, player{name: "early", asks: web})
	s.has(t, player{name: "web", tags: "web", on: s.b}, player{name: "db", tags: "db", on: s.c})
	s.always(t, s.b, player{asks: web})
	s.waits(t, noNeighbour, player{name: "elsewhere", asks: web, only: s.c})
}

func TestRequireWithoutTagLandsWhereNobodyBearsIt(t *testing.T) {
	s := onStage(t, "bin-without")
	const quiet = `{"require_without_tag":["batch","noisy"]}`
	s.has(t, player{name: "batch", tags: "batch", on: s.a}, player{name: "noisy", tags: "noisy", on: s.b})
	s.always(t, s.c, player{asks: quiet})
	s.has(t, player{name: "late-batch", tags: "batch", on: s.c})
	s.waits(t, aNeighbour, player{name: "late", asks: quiet})
}

func TestPreferWithTagLandsBesideABearerIfItHasAChoice(t *testing.T) {
	s := onStage(t, "bin-prefer")
	const cache = `{"prefer_with_tag":["cache"]}`
	s.has(t, player{name: "cache", tags: "cache", on: s.c})
	s.always(t, s.c, player{asks: cache})
	s.goes(t, s.a, player{name: "no-choice", asks: cache, only: s.a})
}

func TestPreferWithoutTagLandsApartIfItHasAChoice(t *testing.T) {
	s := onStage(t, "bin-avoid")
	const noisy = `{"prefer_without_tag":["noisy"]}`
	s.has(t, player{name: "noisy-a", tags: "noisy", on: s.a}, player{name: "noisy-b", tags: "noisy", on: s.b})
	s.always(t, s.c, player{asks: noisy})
	s.goes(t, s.a, player{name: "no-choice", asks: noisy, only: s.a})
}

// Weights are what they are converted to: magnitudes are gone.
func TestAWeightedValueLandsWhereItsWordsDo(t *testing.T) {
	s := onStage(t, "bin-weighted")
	s.has(t, player{name: "db", tags: "db", on: s.a}, player{name: "noisy", tags: "noisy", on: s.b})
	s.always(t, s.a, player{asks: `{"db":1,"noisy":-1000}`})
}

func TestATagOfAnotherNamespaceIsNone(t *testing.T) {
	s := onStage(t, "bin-scope")
	other := s
	other.namespace = namespace(t, "bin-scope-other", nil)
	other.has(t, player{name: "web", tags: "web", on: s.a}, player{name: "batch", tags: "batch", on: s.b})
	s.waits(t, noNeighbour, player{name: "with", asks: `{"require_with_tag":["web"]}`})
	s.goes(t, s.b, player{name: "without", asks: `{"require_without_tag":["batch"]}`, only: s.b})
}

// The table of what native scheduling makes of the words beyond that, row by row.

func TestOneNeighbourHasToBearAllTagsRequired(t *testing.T) {
	s := onStage(t, "bin-one")
	const both = `{"require_with_tag":["a","b"]}`
	s.has(t, player{name: "a", tags: "a", on: s.a}, player{name: "b", tags: "b", on: s.a})
	s.waits(t, noNeighbour, player{name: "early", asks: both})
	s.has(t, player{name: "both", tags: "a b", on: s.b})
	s.always(t, s.b, player{asks: both})
}

func TestWhoRequiresToBeWithoutATagRepelsItsBearers(t *testing.T) {
	s := onStage(t, "bin-symmetry")
	const without = `{"require_without_tag":["x"]}`
	s.has(t, player{name: "there-a", asks: without, on: s.a}, player{name: "there-b", asks: without, on: s.b})
	s.always(t, s.c, player{tags: "x"})
	s.waits(t, repelled, player{name: "stuck", tags: "x", only: s.a})
	s.goes(t, s.a, player{name: "other", tags: "y", only: s.a})
}

// A taint that prefers nobody weighs three, affinity between Pods two, and each comes
// to 100 at most before that. So five neighbours on node a do not outweigh the taint;
// the one on node b decides between the nodes without it.
func TestPreferencesAreNormalisedAndAddedToOtherScores(t *testing.T) {
	s := onStage(t, "bin-sum", "bin-sum-a")
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		s.has(t, player{name: name, tags: "cache", on: s.a})
	}
	s.has(t, player{name: "6", tags: "cache", on: s.b})
	s.always(t, s.b, player{asks: `{"prefer_with_tag":["cache"]}`})
}

func TestTheFirstOfAGroupIsLetThroughByTheScheduler(t *testing.T) {
	s := onStage(t, "bin-first")
	const group = `{"require_with_tag":["group"]}`
	s.waits(t, noNeighbour, player{name: "no-member", asks: group})
	s.goes(t, s.b, player{name: "first", tags: "group", asks: group, only: s.b})
	s.waits(t, noNeighbour, player{name: "elsewhere", tags: "group", asks: group, only: s.a})
	s.always(t, s.b, player{tags: "group", asks: group})
}
