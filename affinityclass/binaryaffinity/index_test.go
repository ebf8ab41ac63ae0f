package binaryaffinity_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

func pod(name, node string, tags ...string) binaryaffinity.Placed {
	return binaryaffinity.Placed{Namespace: "shop", Name: name, UID: name + "-uid", Node: node, Tags: tags}
}

func names(pods []*binaryaffinity.Placed) (out []string) {
	for _, p := range pods {
		out = append(out, p.Name)
	}
	slices.Sort(out)
	return out
}

func TestAnIndexFollowsWhatBecomesOfAPod(t *testing.T) {
	finished := pod("a", "n1", "web")
	finished.Finished = true
	successor := pod("a", "n2", "db")
	successor.UID = "another"
	for name, test := range map[string]struct {
		then     func(*binaryaffinity.Index)
		web, db  []string
		n1       []string
		borneWeb bool
	}{
		"told twice, it is one":                    {func(x *binaryaffinity.Index) { x.Set(pod("a", "n1", "web")) }, []string{"a"}, nil, []string{"a"}, true},
		"finished, it is gone":                     {func(x *binaryaffinity.Index) { x.Set(finished) }, nil, nil, nil, false},
		"without its tags, it is gone":             {func(x *binaryaffinity.Index) { x.Set(pod("a", "n1")) }, nil, nil, nil, false},
		"with other tags, it has those":            {func(x *binaryaffinity.Index) { x.Set(pod("a", "n1", "db")) }, nil, []string{"a"}, []string{"a"}, false},
		"its name used again, it is other":         {func(x *binaryaffinity.Index) { x.Set(successor) }, nil, []string{"a"}, nil, false},
		"deleted, it is gone":                      {func(x *binaryaffinity.Index) { x.Remove("shop", "a", "a-uid") }, nil, nil, nil, false},
		"a deletion missed and told without a uid": {func(x *binaryaffinity.Index) { x.Remove("shop", "a", "") }, nil, nil, nil, false},
		"a late deletion spares the successor": {func(x *binaryaffinity.Index) {
			x.Set(successor)
			x.Remove("shop", "a", "a-uid")
		}, nil, []string{"a"}, nil, false},
		"a namesake elsewhere is another": {func(x *binaryaffinity.Index) { x.Remove("bank", "a", "") }, []string{"a"}, nil, []string{"a"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			x := binaryaffinity.NewIndex()
			x.Set(pod("a", "n1", "web"))
			test.then(x)
			if diff := cmp.Diff([][]string{test.web, test.db, test.n1}, [][]string{
				names(x.Bearers("shop", "web")), names(x.Bearers("shop", "db")), names(slices.Collect(x.On("shop", "n1")))}); diff != "" {
				t.Error(diff)
			}
			if x.Borne("shop", "web") != test.borneWeb || x.Borne("bank", "web") {
				t.Error("who bears web is wrong")
			}
		})
	}
}

func TestAnIndexIsWhatItsLastWordsMakeIt(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	x, truth := binaryaffinity.NewIndex(), map[string]binaryaffinity.Placed{}
	for range 20_000 {
		p := pod(fmt.Sprint(random.IntN(30)), fmt.Sprintf("n%d", random.IntN(4)))
		p.UID = fmt.Sprint(random.IntN(2))
		if random.IntN(4) == 0 {
			x.Remove("shop", p.Name, p.UID)
			if truth[p.Name].UID == p.UID {
				delete(truth, p.Name)
			}
			continue
		}
		for _, tag := range []string{"a", "b", "c"} {
			if random.IntN(2) == 0 {
				p.Tags = append(p.Tags, tag)
			}
		}
		x.Set(p)
		truth[p.Name] = p
		if len(p.Tags) == 0 {
			delete(truth, p.Name)
		}
		same(t, x, truth)
	}
	for _, name := range slices.Collect(maps.Keys(truth)) {
		x.Remove("shop", name, "")
	}
	if diff := cmp.Diff(0, x.Len()); diff != "" || x.Borne("shop", "a") {
		t.Errorf("emptied, it keeps %s", diff)
	}
}

func same(t *testing.T, x *binaryaffinity.Index, truth map[string]binaryaffinity.Placed) {
	t.Helper()
	for i := range 4 {
		node, want := fmt.Sprintf("n%d", i), []string(nil)
		for _, p := range truth {
			if p.Node == node {
				want = append(want, p.Name)
			}
		}
		slices.Sort(want)
		if got := names(slices.Collect(x.On("shop", node))); !slices.Equal(got, want) {
			t.Fatalf("on %s are %v, wanted %v", node, got, want)
		}
	}
	for _, tag := range []string{"a", "b", "c"} {
		want := 0
		for _, p := range truth {
			if p.Bears(tag) {
				want++
			}
		}
		if got := len(x.Bearers("shop", tag)); got != want || x.Borne("shop", tag) != (want > 0) {
			t.Fatalf("%d bear %s, wanted %d", got, tag, want)
		}
	}
}

func TestAPodWithoutTagsCostsNothing(t *testing.T) {
	x, plain, labels := binaryaffinity.NewIndex(), pod("a", "n1"), map[string]string{"app": "web"}
	if got := testing.AllocsPerRun(100, func() {
		plain.Tags = binaryaffinity.TagsOf(labels)
		x.Set(plain)
	}); got != 0 || x.Len() != 0 {
		t.Errorf("it costs %v allocations and %d places", got, x.Len())
	}
}
