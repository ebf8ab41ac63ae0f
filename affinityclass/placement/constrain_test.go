package placement_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func TestConstrain(t *testing.T) {
	gpu := taint("dedicated", "gpu", v1.TaintEffectNoSchedule)
	web := pod("web", on("a"), bears("web"))
	tests := []struct {
		reason string
		state  []any
		pod    *v1.Pod
		want   placement.Constraint // but for the stages
		broken bool
		why    []string
	}{
		{"satisfied", []any{node("a"), node("b"), web}, pod("new", binary(withWeb)),
			placement.Constraint{Total: 2, Before: 2, Left: 1, Neighbours: 1}, false, []string{"1 node(s): " + noWeb}},
		{"broken on every node", []any{node("a"), node("b")}, pod("new", binary(withWeb)),
			placement.Constraint{Total: 2, Before: 2}, true, []string{"2 node(s): " + noWeb}},
		{"broken where the taint lets it be", []any{node("a", gpu), node("b"), web}, pod("new", binary(withWeb)),
			placement.Constraint{Total: 2, Before: 1, Neighbours: 1}, true, []string{"1 node(s): " + noWeb, "1 node(s): untolerated NoSchedule taint dedicated=gpu"}},
		{"nothing left before it says nothing about it", []any{node("a", gpu), node("b", cordoned)}, pod("new", binary(withWeb)),
			placement.Constraint{Total: 2}, false, []string{"1 node(s): node unschedulable", "1 node(s): untolerated NoSchedule taint dedicated=gpu"}},
		{"no node at all", nil, pod("new", binary(withWeb)), placement.Constraint{}, false, nil},
		{"a full cluster is no conflict", []any{node("a"), pod("web", on("a"), bears("web"), asks("cpu", "4"))}, pod("new", binary(withWeb), asks("cpu", "8")),
			placement.Constraint{Total: 1, Before: 1, Left: 1, Neighbours: 1}, false, nil},
		{"a full cluster does not silence a conflict", []any{node("a"), pod("db", on("a"), asks("cpu", "4"))}, pod("new", binary(withWeb), asks("cpu", "1")),
			placement.Constraint{Total: 1, Before: 1}, true, []string{"1 node(s): " + noWeb}},
		{"a host port and an affinity of the Pod are not looked at", []any{node("a"), web, pod("db", on("a"), hostPort(80))}, pod("new", binary(withWeb), hostPort(80), near("mq", host)),
			placement.Constraint{Total: 1, Before: 1, Left: 1, Neighbours: 1}, false, nil},
		{"the first of its group", []any{node("a"), web}, pod("new", bears("db", "web"), binary(`{"require_with_tag":["db","mq","web"]}`)),
			placement.Constraint{Total: 1, Before: 1, FirstOfGroup: []string{"db"}, Neighbours: 1}, true, []string{"1 node(s): require_with_tag db: no Pod there bears it"}},
		{"the Pod itself does not begin its group", []any{node("a"), pod("new", on("a"), bears("web"))}, pod("new", bears("web"), binary(withWeb)),
			placement.Constraint{Total: 1, Before: 1, FirstOfGroup: []string{"web"}, Neighbours: 1}, true, []string{"1 node(s): " + noWeb}},
		{"a bearer on a node that is gone does not begin it", []any{node("a"), pod("web", on("gone"), bears("web"))}, pod("new", bears("web"), binary(withWeb)),
			placement.Constraint{Total: 1, Before: 1, FirstOfGroup: []string{"web"}, Neighbours: 1}, true, []string{"1 node(s): " + noWeb}},
		{"a named node is the only one", []any{node("a"), node("b"), web}, pod("new", on("b"), binary(withWeb)),
			placement.Constraint{Total: 2, Before: 1, Neighbours: 1}, true, []string{"1 node(s): nodeName b asked", "1 node(s): " + noWeb}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			got := cluster(tt.state...).Constrain(request(t, tt.pod))
			broken, why := got.Broken(), got.Reasons()
			if broken != tt.broken {
				t.Errorf("broken is %v", broken)
			}
			if diff := cmp.Diff(tt.why, why); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
			got.Stages = nil
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConstrainRunsTheStagesOfTheNodeAlone(t *testing.T) {
	c := cluster(node("a")).Constrain(request(t, pod("new", binary(withWeb))))
	var stages []string
	for _, s := range c.Stages {
		stages = append(stages, s.Name)
	}
	if want := []string{"node_name", "unschedulable", "node_selector", "taints", "affinity_constraints"}; !slices.Equal(stages, want) {
		t.Errorf("got %v, want %v", stages, want)
	}
	if refused := c.Refused(); len(refused) != 1 || refused[0].Node != "a" {
		t.Errorf("got %v", refused)
	}
}

func TestConstrainAsksNothingOfWhoRequiresNothing(t *testing.T) {
	s := cluster(node("a"), pod("web", on("a"), bears("web")))
	for _, value := range []string{`{}`, `{"prefer_with_tag":["web"]}`, `{"web":-1}`, `{"require_with_tag":"unreadable"}`} {
		if c := s.Constrain(request(t, pod("new", binary(value)))); c != nil {
			t.Errorf("%s: got %+v", value, c)
		}
	}
	if c := s.Constrain(request(t, pod("new"))); c != nil {
		t.Errorf("without a value: got %+v", c)
	}
}
