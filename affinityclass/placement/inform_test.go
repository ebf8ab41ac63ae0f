package placement_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func TestInformative(t *testing.T) {
	nodes := []any{node("x"), node("y"), node("z")}
	hidden := []any{node("x", cordoned), node("y"), node("z")}
	web := crowded("x", "web", 1)
	tests := []struct {
		reason  string
		state   []any
		value   string
		options placement.Options
		want    string // empty when there was a choice
		affine  string
	}{
		{"a choice was made", slices.Concat(nodes, web), likesWeb, placement.Options{}, "", ""},
		{"nobody to be with is a choice too", nodes, likesWeb, placement.Options{}, "", ""},
		{"one candidate", append(web, node("x")), likesWeb, placement.Options{}, "only 1 candidates", ""},
		{"one is counted before the tiers are narrowed", slices.Concat(nodes, web), likesWeb, placement.Options{}, "", ""},
		{"none", []any{node("x", cordoned)}, likesWeb, placement.Options{}, "only 0 candidates", ""},
		{"where it wants to be was dropped", slices.Concat(hidden, web), likesWeb, placement.Options{}, "affine node not a candidate: dropped by unschedulable", "x"},
		{"by the first stage that does, when every stage is asked", slices.Concat(hidden, web), likesWeb, placement.Options{Explain: true}, "affine node not a candidate: dropped by unschedulable", "x"},
		{"a better one was dropped", slices.Concat(hidden, crowded("x", "web", 2), crowded("y", "web", 1)), likesWeb, placement.Options{}, "affine node not a candidate: dropped by unschedulable", "x"},
		{"one as good is left", slices.Concat(hidden, web, crowded("y", "web", 1)), likesWeb, placement.Options{}, "", ""},
		{"the caller left it out", slices.Concat(nodes, web), likesWeb, placement.Options{Nodes: []string{"y", "z"}}, "affine node not a candidate: not among the nodes asked about", "x"},
		{"a requirement is no preference", slices.Concat(hidden, web, crowded("y", "web", 1)), withWeb, placement.Options{}, "", ""},
		{"who asks nothing is not told", slices.Concat(hidden, web), `{}`, placement.Options{}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			p := cluster(tt.state...).Preview(request(t, pod("new", binary(tt.value))), tt.options)
			if p.Informative != (tt.want == "") {
				t.Errorf("informative is %v", p.Informative)
			}
			if diff := cmp.Diff([]string{tt.want, tt.affine}, []string{p.InformativeReason, p.AffineNode}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheFirstOfAGroupIsTold(t *testing.T) {
	first := pod("new", bears("web"), binary(withWeb))
	tests := []struct {
		reason string
		state  []any
		pod    *v1.Pod
		want   []string
	}{
		{"it waits for its own like", []any{node("x")}, first, []string{"web"}},
		{"not once somebody is there", append(crowded("x", "web", 1), node("x", cordoned), node("y")), first, nil},
		{"who does not bear the tag waits for others", []any{node("x")}, pod("new", binary(withWeb)), nil},
		{"what another stage dropped is another matter", []any{node("x", cordoned)}, first, nil},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			for _, explain := range []bool{false, true} {
				p := cluster(tt.state...).Preview(request(t, tt.pod), placement.Options{Explain: explain})
				if diff := cmp.Diff(tt.want, p.FirstOfGroup); diff != "" {
					t.Errorf("explain %v (-want +got):\n%s", explain, diff)
				}
			}
		})
	}
}

func TestAShortageNamesTheNodesThatSatisfy(t *testing.T) {
	full := func(name string) any { return pod("full-"+name, on(name), asks("cpu", "4")) }
	satisfied := slices.Concat([]any{node("x"), node("y"), node("z"), full("x"), full("y")}, crowded("x", "web", 1), crowded("y", "web", 1))
	tests := []struct {
		reason string
		state  []any
		pod    *v1.Pod
		code   int
		want   string
	}{
		{"two are full, the third is no choice", satisfied, pod("new", asks("cpu", "1"), binary(withWeb)), 507, "full only on the 2 nodes that satisfy require_with_tag web"},
		{"one is", append(satisfied, pod("job", on("y"), bears("batch"))), pod("new", asks("cpu", "1"), binary(`{"require_with_tag":["web"],"require_without_tag":["batch","noisy"]}`)), 507,
			"full only on the 1 node that satisfies require_with_tag web and require_without_tag batch, noisy"},
		{"a preference leaves nothing out", []any{node("x"), full("x")}, pod("new", asks("cpu", "1"), binary(likesWeb)), 507, ""},
		{"a quota is short, not the nodes", append(crowded("x", "web", 1), node("x"), quota("pods=1", "pods=1")), pod("new", binary(withWeb)), 507, ""},
		{"a conflict is not a shortage", []any{node("x"), full("x")}, pod("new", asks("cpu", "1"), binary(withWeb)), 409, ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			p := ask(t, cluster(tt.state...), tt.pod)
			if p.Verdict.Code() != tt.code || p.Full != tt.want {
				t.Errorf("got %d %q, want %d %q", p.Verdict.Code(), p.Full, tt.code, tt.want)
			}
		})
	}
}
