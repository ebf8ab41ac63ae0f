package placement_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Everything a Pod can ask much of costs steps, at least one for each time that
// something is looked at.
func TestALimitBoundsWhateverAPodAsksMuchOf(t *testing.T) {
	const nodes, many = 100, 1000
	s := city(nodes)
	term := func() v1.PodAffinityTerm {
		return v1.PodAffinityTerm{LabelSelector: matching("app-3"), TopologyKey: v1.LabelHostname, NamespaceSelector: &metav1.LabelSelector{}}
	}
	tests := []struct {
		name string
		add  func(p *v1.Pod, i int)
	}{
		{"preferred terms", func(p *v1.Pod, i int) {
			a := affinity(p)
			if a.PodAffinity == nil {
				a.PodAffinity = &v1.PodAffinity{}
			}
			to := &a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution
			*to = append(*to, v1.WeightedPodAffinityTerm{Weight: 1, PodAffinityTerm: term()})
		}},
		{"required terms", func(p *v1.Pod, _ int) { near("app-3", v1.LabelHostname)(p) }},
		{"required terms to be without", func(p *v1.Pod, _ int) { apart("app-3", v1.LabelHostname)(p) }},
		{"keys of topology", func(p *v1.Pod, i int) { near("app-3", "key-"+strconv.Itoa(i))(p) }},
		{"spread constraints", func(p *v1.Pod, i int) { spreads("app-3", "key-"+strconv.Itoa(i%9), 5)(p) }},
		{"soft spread constraints", func(p *v1.Pod, _ int) {
			spreads("app-3", v1.LabelHostname, 5, func(c *v1.TopologySpreadConstraint) { c.WhenUnsatisfiable = v1.ScheduleAnyway })(p)
		}},
		{"tolerations", func(p *v1.Pod, i int) { toleration(v1.Toleration{Key: strconv.Itoa(i)})(p) }},
		{"selected labels", func(p *v1.Pod, i int) { selects("key-"+strconv.Itoa(i), "x")(p) }},
		{"host ports", func(p *v1.Pod, i int) { hostPort(int32(1 + i))(p) }},
		{"resources", func(p *v1.Pod, i int) { asks(v1.ResourceName("example.com/r"+strconv.Itoa(i)), "1")(p) }},
		{"preferred nodes", func(p *v1.Pod, i int) {
			a := affinity(p)
			if a.NodeAffinity == nil {
				a.NodeAffinity = &v1.NodeAffinity{}
			}
			to := &a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
			*to = append(*to, v1.PreferredSchedulingTerm{Weight: 1, Preference: v1.NodeSelectorTerm{
				MatchExpressions: []v1.NodeSelectorRequirement{{Key: strconv.Itoa(i), Operator: v1.NodeSelectorOpDoesNotExist}}}})
		}},
		{"expressions of a selector", func(p *v1.Pod, i int) {
			if i == 0 {
				near("app-3", v1.LabelHostname)(p)
			}
			of := affinity(p).PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector
			of.MatchExpressions = append(of.MatchExpressions, metav1.LabelSelectorRequirement{Key: strconv.Itoa(i), Operator: metav1.LabelSelectorOpDoesNotExist})
		}},
	}
	const enough = 100 * nodes
	plain := pod("newcomer", in("team-3"), app("app-3"))
	if p := s.Preview(request(t, plain), placement.Options{Limit: enough}); p.Cut {
		t.Fatal("a plain Pod is cut short")
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := pod("newcomer", in("team-3"), app("app-3"))
			for i := range many {
				tt.add(p, i)
			}
			r := request(t, p)
			got := s.Preview(r, placement.Options{Limit: enough})
			want := &placement.Preview{
				Object: got.Object, Profile: placement.LeastLoaded, Informative: true,
				Total: nodes, Unmodelled: got.Unmodelled, Cut: true,
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d of them cost no more than a plain Pod (-want +got):\n%s", many, diff)
			}
			if diff := cmp.Diff(s.Preview(r, placement.Options{}), s.Preview(r, placement.Options{Limit: 1 << 40}), cmp.AllowUnexported(placement.Reason{})); diff != "" {
				t.Errorf("a limit that is not met changes the answer (-without +with):\n%s", diff)
			}
		})
	}
}

// Where the limit ends, the previews do, always at the same Pod.
func TestALimitIsSharedByTheRequests(t *testing.T) {
	s := city(100)
	r := request(t, pod("newcomer", in("team-3"), app("app-3")))
	requests := []*placement.Request{r, r, r, r, r, r, r, r}
	whole := placement.Rank(s, requests, placement.Options{})
	cut := placement.Rank(s, requests, placement.Options{Limit: 12_000})
	last := len(cut) - 1
	if last < 1 || last >= len(whole) || !cut[last].Cut {
		t.Fatalf("%d previews of %d, of which the last is cut: %t", len(cut), len(whole), cut[last].Cut)
	}
	if diff := cmp.Diff(whole[:last], cut[:last], cmp.AllowUnexported(placement.Reason{})); diff != "" {
		t.Errorf("those before it (-without a limit +with one):\n%s", diff)
	}
	for range 5 {
		if again := placement.Rank(s, requests, placement.Options{Limit: 12_000}); len(again) != len(cut) {
			t.Errorf("now %d previews, before %d", len(again), len(cut))
		}
	}
}
