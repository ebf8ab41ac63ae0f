package binaryaffinity_test

import (
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

func value(t testing.TB, text string) binaryaffinity.Value {
	t.Helper()
	parsed, errs := binaryaffinity.Parse(text, at())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return parsed.Value
}

func ask(t testing.TB, text string) binaryaffinity.Ask {
	return binaryaffinity.Ask{Value: value(t, text), Asker: binaryaffinity.Asker{Namespace: "shop", Name: "new", UID: "new-uid"}}
}

func pod(name, node string, tags ...string) binaryaffinity.Placed {
	return binaryaffinity.Placed{Namespace: "shop", Name: name, UID: name + "-uid", Node: node, Tags: tags}
}

func all(pods ...binaryaffinity.Placed) iter.Seq[*binaryaffinity.Placed] {
	return func(yield func(*binaryaffinity.Placed) bool) {
		for i := range pods {
			if !yield(&pods[i]) {
				return
			}
		}
	}
}

func TestWhoIsNoNeighbour(t *testing.T) {
	change := func(f func(*binaryaffinity.Placed)) binaryaffinity.Placed {
		p := pod("old", "n1", "web")
		f(&p)
		return p
	}
	for name, test := range map[string]struct {
		p    binaryaffinity.Placed
		want bool
	}{
		"a placed Pod of the namespace with a tag is one": {change(func(*binaryaffinity.Placed) {}), true},
		"not one that is finished":                        {change(func(p *binaryaffinity.Placed) { p.Finished = true }), false},
		"not one that has no node yet":                    {change(func(p *binaryaffinity.Placed) { p.Node = "" }), false},
		"not the Pod itself by uid, whatever its name":    {change(func(p *binaryaffinity.Placed) { p.UID = "new-uid" }), false},
		"not the Pod itself by name where no uid is known": {change(func(p *binaryaffinity.Placed) {
			p.UID, p.Name = "", "new"
		}), false},
		"a predecessor of the same name is one":  {change(func(p *binaryaffinity.Placed) { p.Name = "new" }), true},
		"not one without tags":                   {change(func(p *binaryaffinity.Placed) { p.Tags = nil }), false},
		"not one of another namespace":           {change(func(p *binaryaffinity.Placed) { p.Namespace = "bank" }), false},
		"not one of another namespace, its name": {change(func(p *binaryaffinity.Placed) { p.Namespace, p.Name, p.UID = "bank", "new", "" }), false},
	} {
		t.Run(name, func(t *testing.T) {
			with, without, draw := ask(t, `{"require_with_tag":["web"]}`), ask(t, `{"require_without_tag":["web"]}`), ask(t, `{"prefer_with_tag":["web"]}`)
			if got := with.Asker.Neighbour(&test.p); got != test.want {
				t.Errorf("a neighbour: %v", got)
			}
			if fits := with.Look(all(test.p)).Refusal == (binaryaffinity.Refusal{}); fits != test.want {
				t.Errorf("satisfies: %v", fits)
			}
			if trips := without.Look(all(test.p)).Refusal != (binaryaffinity.Refusal{}); trips != test.want {
				t.Errorf("trips: %v", trips)
			}
			if scores := draw.Look(all(test.p)).Score != 0; scores != test.want {
				t.Errorf("scores: %v", scores)
			}
		})
	}
}

func TestWhatANodeRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		value string
		pods  []binaryaffinity.Placed
		want  string
	}{
		"nothing asked":                       {`{}`, nil, ""},
		"alone and to be with nobody":         {`{"require_without_tag":["a"]}`, nil, ""},
		"with, and nobody there":              {`{"require_with_tag":["a"]}`, nil, "require_with_tag a: no Pod there bears it"},
		"with, and another tag there":         {`{"require_with_tag":["a"]}`, []binaryaffinity.Placed{pod("x", "n", "b")}, "require_with_tag a: no Pod there bears it"},
		"with, and there":                     {`{"require_with_tag":["a"]}`, []binaryaffinity.Placed{pod("x", "n", "a")}, ""},
		"two tags, on two Pods":               {`{"require_with_tag":["a","b"]}`, []binaryaffinity.Placed{pod("x", "n", "a"), pod("y", "n", "b")}, "require_with_tag: no one Pod there bears all the tags"},
		"two tags, on one Pod":                {`{"require_with_tag":["a","b"]}`, []binaryaffinity.Placed{pod("x", "n", "a"), pod("y", "n", "a", "b")}, ""},
		"without, and there":                  {`{"require_without_tag":["a","b"]}`, []binaryaffinity.Placed{pod("x", "n", "b"), pod("y", "n", "a")}, "require_without_tag a: a Pod there bears it"},
		"without, and the second there":       {`{"require_without_tag":["a","b"]}`, []binaryaffinity.Placed{pod("x", "n", "b")}, "require_without_tag b: a Pod there bears it"},
		"with and without, on the same Pod":   {`{"require_with_tag":["a"],"require_without_tag":["b"]}`, []binaryaffinity.Placed{pod("x", "n", "a", "b")}, "require_without_tag b: a Pod there bears it"},
		"a preference refuses nothing":        {`{"prefer_with_tag":["a"],"prefer_without_tag":["b"]}`, []binaryaffinity.Placed{pod("x", "n", "b")}, ""},
		"with, by label value it is the same": {`{"require_with_tag":["a"]}`, []binaryaffinity.Placed{pod("x", "n", binaryaffinity.TagsOf(map[string]string{"tag.affinity.cozystack.io/a": "no"})...)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, ask(t, test.value).Look(all(test.pods...)).Refusal.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheFirstOfAGroupIsToldFromAnybodyRefused(t *testing.T) {
	a := ask(t, `{"require_with_tag":["db","web"]}`)
	nobody := func(string) bool { return false }
	if diff := cmp.Diff([]string{"web"}, a.FirstOfGroup([]string{"web"}, nobody)); diff != "" {
		t.Error(diff)
	}
	seeded := func(tag string) bool { return tag == "web" }
	if got := a.FirstOfGroup([]string{"web"}, seeded); got != nil {
		t.Errorf("a group that is begun waits for %v", got)
	}
}
