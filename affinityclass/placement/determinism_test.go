package placement_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// town is the objects of a small cluster in which much is refused.
func town() []any {
	var all []any
	for i := range 30 {
		n := node("n"+strconv.Itoa(i), zone("z"+strconv.Itoa(i%4)))
		if i%5 == 0 {
			taint("dedicated", strconv.Itoa(i%2), v1.TaintEffectNoSchedule)(n)
		}
		all = append(all, n)
	}
	for i := range 200 {
		p := pod("p"+strconv.Itoa(i), app("app-"+strconv.Itoa(i%7)), on("n"+strconv.Itoa(i*11%30)), asks("cpu", strconv.Itoa(i%9)+"00m"))
		if i%6 == 0 {
			apart("app-"+strconv.Itoa(i%5), host)(p)
		}
		if i%8 == 0 {
			hostPort(int32(8000 + i%3))(p)
		}
		if i%4 == 1 {
			bears("t" + strconv.Itoa(i%3))(p)
		}
		all = append(all, p)
	}
	return all
}

func strangers() []*v1.Pod {
	return []*v1.Pod{
		pod("s0", asks("cpu", "1")),
		pod("s1", app("app-1"), apart("app-2", host), hostPort(8000)),
		pod("s2", app("app-2"), spreads("app-2", zoned, 1), near("app-3", zoned)),
		pod("s3", app("app-3"), apart("app-3", zoned)),
		pod("s4", bears("t0"), binary(`{"prefer_with_tag":["t0"],"prefer_without_tag":["t1"],"require_without_tag":["t2"]}`), translated),
		pod("s5", bears("t2"), binary(`{"require_with_tag":["t0"]}`), translated),
	}
}

// answers is everything that is told of the strangers.
func answers(t *testing.T, s *placement.Snapshot) string {
	t.Helper()
	var text []byte
	for _, explain := range []bool{false, true} {
		for _, p := range strangers() {
			preview := s.Preview(request(t, p), placement.Options{Explain: explain})
			line, err := json.Marshal(preview)
			if err != nil {
				t.Fatal(err)
			}
			text = append(append(text, line...), preview.Aggregate()...)
		}
	}
	return string(text)
}

func TestOrderDoesNotMatter(t *testing.T) {
	objects := town()
	want := answers(t, cluster(objects...))
	for seed := range int64(20) {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		random.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
		if got := answers(t, cluster(objects...)); got != want {
			t.Fatalf("seed %d: another order, another answer:\n%s\n%s", seed, want, got)
		}
	}
}

// However a snapshot came to its state, it answers as one that began with it.
func TestEventsLeaveNoTrace(t *testing.T) {
	objects := town()
	want := answers(t, cluster(objects...))
	for seed := range int64(20) {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		s := cluster()
		for range 2000 {
			disturb(s, random, objects)
		}
		for _, o := range objects {
			set(s, o)
		}
		if got := answers(t, s); got != want {
			t.Fatalf("seed %d: the past shows:\n%s\n%s", seed, want, got)
		}
	}
}

// disturb sets or removes an object at random, or sets it otherwise than it will
// be in the end.
func disturb(s *placement.Snapshot, random *rand.Rand, objects []any) {
	o := objects[random.IntN(len(objects))]
	switch {
	case random.IntN(3) == 0:
		remove(s, o)
	case random.IntN(2) == 0:
		set(s, o)
	default:
		if p, ok := o.(*v1.Pod); ok {
			other := p.DeepCopy()
			on("n" + strconv.Itoa(random.IntN(35)))(other)
			app("app-" + strconv.Itoa(random.IntN(9)))(other)
			bears("t" + strconv.Itoa(random.IntN(3)))(other)
			hostPort(8000)(other)
			apart("app-1", zoned)(other)
			s.SetPod(other)
		} else {
			s.SetNode(node(o.(*v1.Node).Name, zone("z"+strconv.Itoa(random.IntN(6))), allocatable("example.com/gpu", "2")))
		}
	}
}

func set(s *placement.Snapshot, o any) {
	switch o := o.(type) {
	case *v1.Node:
		s.SetNode(o)
	case *v1.Pod:
		s.SetPod(o)
	}
}

func remove(s *placement.Snapshot, o any) {
	switch o := o.(type) {
	case *v1.Node:
		s.RemoveNode(o.Name)
	case *v1.Pod:
		s.RemovePod(types.NamespacedName{Namespace: o.Namespace, Name: o.Name})
	}
}

// Any number may ask one snapshot at a time; the race detector watches.
func TestPreviewsRunTogether(t *testing.T) {
	s := cluster(town()...)
	want := answers(t, s)
	var together sync.WaitGroup
	for range 4 {
		together.Go(func() {
			if got := answers(t, s); got != want {
				t.Error("another answer beside others")
			}
		})
	}
	together.Wait()
}

// A tie goes to the same node every time, and to different nodes for different
// Pods.
func TestTiesAreSpreadByHash(t *testing.T) {
	s := cluster(node("a"), node("b"), node("c"))
	won := map[string]bool{}
	for i := range 20 {
		p := ask(t, s, pod("web-"+strconv.Itoa(i)))
		if again := ask(t, s, pod("web-"+strconv.Itoa(i))); again.Winner != p.Winner {
			t.Errorf("web-%d first won %s, then %s", i, p.Winner, again.Winner)
		}
		if len(p.Tie()) != 3 || p.Tie()[0] != "a" || p.Tie()[2] != "c" {
			t.Errorf("got the tie %v", p.Tie())
		}
		won[p.Winner] = true
	}
	if len(won) != 3 {
		t.Errorf("only %v ever won", won)
	}
}
