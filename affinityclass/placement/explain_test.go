package placement_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func TestExplainJudgesEveryStage(t *testing.T) {
	gpu := taint("dedicated", "gpu", v1.TaintEffectNoSchedule)
	s := cluster(
		node("both", gpu), pod("db", on("both"), asks("cpu", "4")),
		node("fine"),
		node("full"), pod("mq", on("full"), asks("cpu", "3600m")),
		node("tainted", gpu),
	)
	p := s.Preview(request(t, pod("web", asks("cpu", "1"))), placement.Options{Explain: true})
	got := map[string][]string{}
	for _, row := range p.Matrix {
		line := []string{row.Fix}
		for _, why := range row.Reasons {
			line = append(line, why.Stage+": "+why.Reason.String())
		}
		got[row.Node] = line
	}
	want := map[string][]string{
		"both":    {"", "taints: untolerated NoSchedule taint dedicated=gpu", "resources: cpu requests 1, only 0 free"},
		"fine":    {""},
		"full":    {"600m cpu short", "resources: cpu requests 1, only 400m free"},
		"tainted": {"tolerate dedicated=gpu:NoSchedule", "taints: untolerated NoSchedule taint dedicated=gpu"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("matrix (-want +got):\n%s", diff)
	}
	if p.Winner != "fine" || p.Verdict != placement.Fits {
		t.Errorf("got %s on %q", p.Verdict, p.Winner)
	}
	if diff := cmp.Diff(ask(t, s, pod("web", asks("cpu", "1"))).Reasons(), p.Reasons()); diff != "" {
		t.Errorf("the aggregate differs from that without explain:\n%s", diff)
	}
}

func TestFixes(t *testing.T) {
	tests := []struct {
		name  string
		state []any
		pod   *v1.Pod
		want  string
	}{
		{"a cordon", []any{node("a", cordoned)}, pod("web"), "uncordon the node"},
		{"a label", []any{node("a")}, pod("web", selects("disk", "ssd")), "label the node disk=ssd"},
		{"two labels are two steps", []any{node("a")}, pod("web", selects("disk", "ssd"), selects("zone", "x")), ""},
		{"two taints are two steps", []any{node("a", taint("k", "", v1.TaintEffectNoSchedule), taint("l", "", v1.TaintEffectNoExecute))}, pod("web"), ""},
		{"two resources are two steps", []any{node("a")}, pod("web", asks("cpu", "5"), asks("memory", "20Gi")), ""},
		{"bytes are written as bytes", []any{node("a")}, pod("web", asks("memory", "20Gi")), "4Gi memory short"},
		{"a port", []any{node("a"), pod("db", on("a"), hostPort(80))}, pod("web", hostPort(80)), "free host port 80/TCP"},
		{"two ports are two steps", []any{node("a"), pod("db", on("a"), hostPort(80), hostPort(81))}, pod("web", hostPort(80), hostPort(81)), ""},
		{"a neighbour", []any{node("a"), pod("db", on("a"), apart("web", host))}, pod("web"), "move shop/db away"},
		{"two neighbours are two steps", []any{node("a"), pod("d1", on("a"), app("db")), pod("d2", on("a"), app("db"))}, pod("web", apart("db", host)), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := cluster(tt.state...).Preview(request(t, tt.pod), placement.Options{Explain: true})
			if got := p.Matrix[0].Fix; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
