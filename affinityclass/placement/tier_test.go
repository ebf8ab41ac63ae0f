package placement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/placement"
)

const (
	likesWeb = `{"prefer_with_tag":["web"]}`
	both     = `{"prefer_with_tag":["a"],"prefer_without_tag":["b"]}`
)

// crowded are Pods of a tag on a node.
func crowded(name, tag string, many int) (pods []any) {
	for i := range many {
		pods = append(pods, pod(fmt.Sprintf("%s-%s-%d", name, tag, i), on(name), bears(tag)))
	}
	return pods
}

// standing is how the candidates stand, best first: node, tier and score.
func standing(p *placement.Preview) string {
	var all []string
	for _, c := range p.Candidates {
		all = append(all, fmt.Sprintf("%s %+d %d", c.Node, c.Tier, c.Score))
	}
	return strings.Join(all, ", ")
}

func TestTiers(t *testing.T) {
	busy := func(name string, many int) (pods []any) {
		for i := range many {
			pods = append(pods, pod(fmt.Sprintf("busy-%s-%d", name, i), on(name)))
		}
		return pods
	}
	nodes := []any{node("x"), node("y"), node("z")}
	tests := []struct {
		reason string
		state  []any
		value  string
		want   string
	}{
		{"load cannot outvote a preference", slices.Concat(crowded("x", "web", 1), busy("x", 9)), likesWeb, "x +1 -10, y +0 0, z +0 0"},
		{"within a tier load decides", slices.Concat(crowded("x", "web", 1), crowded("y", "web", 1), busy("x", 2)), likesWeb, "y +1 -1, x +1 -3, z +0 0"},
		{"five weigh more than one", slices.Concat(crowded("x", "web", 1), crowded("y", "web", 5)), likesWeb, "y +5 -5, x +1 -1, z +0 0"},
		{"a tag in another namespace neither draws nor repels", []any{pod("w", in("bank"), on("x"), bears("a")), pod("v", in("bank"), on("y"), bears("b")), pod("u", on("x")), pod("s", on("z")), pod("r", on("z"))}, both,
			"y +0 -1, x +0 -2, z +0 -2"},
		{"the Pod itself draws nobody", []any{pod("new", on("x"), bears("a")), pod("u", on("y")), pod("s", on("z")), pod("r", on("z"))}, both, "x +0 0, y +0 -1, z +0 -2"},
		{"nothing to score, all stand in tier 0", slices.Concat(crowded("x", "a", 1), crowded("y", "b", 2)), `{}`, "z +0 0, x +0 -1, y +0 -2"},
		{"what is required scores nothing", slices.Concat(crowded("x", "a", 2), crowded("y", "a", 1)), `{"require_with_tag":["a"]}`, "y +0 -1, x +0 -2"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			p := ask(t, cluster(slices.Concat(nodes, tt.state)...), pod("new", binary(tt.value), translated))
			if diff := cmp.Diff(sortedTies(tt.want), sortedTies(standing(p))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// sortedTies orders those that stand alike by name: the hash of their names is
// not what these tests are about.
func sortedTies(text string) []string {
	all := strings.Split(text, ", ")
	rank := func(line string) string { _, rest, _ := strings.Cut(line, " "); return rest }
	for from := range all {
		for to := from + 1; to < len(all) && rank(all[to]) == rank(all[from]); to++ {
			slices.Sort(all[from : to+1])
		}
	}
	return all
}

// A tie is between candidates of the winning tier alone.
func TestTheWinnerIsOfTheHighestTier(t *testing.T) {
	state := append(crowded("x", "web", 1), node("x"), node("y"), node("z"), pod("u", on("y")), pod("s", on("z")))
	p := ask(t, cluster(state...), pod("new", binary(likesWeb)))
	if p.Winner != "x" || p.Tied != 1 || p.Tie() != nil || len(p.Candidates) != 3 {
		t.Errorf("got %s of %v", p.Winner, standing(p))
	}
	p = ask(t, cluster(append(state, crowded("y", "web", 1)[0], pod("v", on("x")))...), pod("new", binary(likesWeb)))
	if diff := cmp.Diff([]string{"x", "y"}, p.Tie()); diff != "" {
		t.Errorf("tie of the first tier (-want +got):\n%s\nof %s", diff, standing(p))
	}
}

func TestACandidateShowsWhatMadeItsTier(t *testing.T) {
	s := cluster(node("x"), node("y"), node("z"), pod("two", on("x"), bears("a")), pod("one", on("x"), bears("b")), pod("three", on("y"), bears("c")))
	p := ask(t, s, pod("new", binary(`{"prefer_with_tag":["a","b"]}`)))
	got := map[string]*placement.Affinity{}
	for _, c := range p.Candidates {
		got[c.Node] = c.Affinity
	}
	want := map[string]*placement.Affinity{"x": {InstanceCount: 2, Considered: []string{"one", "two"}}, "y": {}, "z": {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The terms that translate a preference are scored in the tier and nowhere else.
func TestATranslatedPreferenceIsScoredOnce(t *testing.T) {
	s := cluster(node("x"), node("y"), pod("web", on("x"), bears("a")), pod("job", on("y"), bears("b")))
	plain, terms := ask(t, s, pod("new", binary(both))), ask(t, s, pod("new", binary(both), translated))
	if diff := cmp.Diff(standing(plain), standing(terms)); diff != "" {
		t.Errorf("with its terms (-without +with):\n%s", diff)
	}
	foreign := pod("new", binary(both), translated, func(p *v1.Pod) {
		p.Spec.Affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution[0].Weight = 99
	})
	if got, want := standing(ask(t, s, foreign)), "x +1 98, "; !strings.HasPrefix(got, want) {
		t.Errorf("a term of another weight is the Pod's own: got %s, want %s first", got, want)
	}
}

func TestWhoPrefersAndRequiresNothingReadsNobody(t *testing.T) {
	state := append(crowded("x", "web", 5), node("x"), node("y"))
	for value, want := range map[string]int{`{}`: 0, `{"web":0}`: 0, `{"prefer_with_tag":"unreadable"}`: 0, likesWeb: 5, withWeb: 5, `{"prefer_with_tag":["nobody"]}`: 0} {
		p := ask(t, cluster(state...), pod("new", bears("web"), binary(value), translatedIfReadable))
		if p.Neighbours != want {
			t.Errorf("%s: %d Pods were read, want %d", value, p.Neighbours, want)
		}
	}
	p := ask(t, cluster(state...), pod("new", bears("web")))
	if p.Neighbours != 0 || p.Candidates[0].Affinity != nil || p.Candidates[0].Tier != 0 || !p.Informative {
		t.Errorf("without a value: %d read, %+v", p.Neighbours, p.Candidates[0].Standing)
	}
}

func translatedIfReadable(p *v1.Pod) {
	if _, errs := binaryaffinity.Of(p.Annotations, nil); len(errs) == 0 {
		translated(p)
	}
}
