// Package conformance_test holds package placement to the filters of the real
// kube-scheduler: on random clusters both must find the same nodes feasible for
// a random Pod. The plugins are Kubernetes' own, so this is a Go module of its
// own; the clusters are small, dense with what can go wrong, and never leave the
// process.
//
// Every case has a number. One that fails is made as small as it gets and
// printed as YAML, with the flags that repeat it.
package conformance_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

var (
	cases = flag.Int("cases", 0, "how many cases a family has; 0 means the size for CI, or the recorded one with AFFINITYCLASS_TEST_SIZE=long")
	seed  = flag.Int64("seed", 0, "the number of the first case; 0 means one drawn from the time")
)

func TestMain(m *testing.M) {
	flag.Parse()
	metrics.Register() // the plugins count into them
	os.Exit(m.Run())
}

// size is how many cases a family has.
func size(family string) int {
	switch {
	case *cases > 0:
		return *cases
	case os.Getenv("AFFINITYCLASS_TEST_SIZE") != "long":
		return 2_000
	case family == mixed:
		return 100_000
	default:
		return 10_000
	}
}

func first() int64 {
	if *seed != 0 {
		return *seed
	}
	return time.Now().Unix()
}

// tolerated is how many failures are printed before a family is given up.
const tolerated = 3

func TestTheFeasibleNodesAreThoseOfKubeScheduler(t *testing.T) {
	start := first()
	for _, family := range families() {
		t.Run(family, func(t *testing.T) {
			feasible, bad, n := 0, 0, size(family)
			for i := range n {
				number := start + int64(i)
				c := draw(family, number)
				want, got := theirs(t, c), ours(c)
				feasible += len(want)
				if slices.Equal(want, got) {
					continue
				}
				report(t, family, number, c)
				if bad++; bad == tolerated {
					t.Fatal("given up")
				}
			}
			t.Logf("%d cases from -seed %d: %d disagreements, %d feasible nodes", n, start, bad, feasible)
			if feasible == 0 {
				t.Error("no node was feasible in any case: nothing was compared")
			}
		})
	}
}

func draw(family string, number int64) *scene {
	d := &drawer{Rand: rand.New(rand.NewPCG(uint64(number), 0)), family: family}
	return d.scene()
}
