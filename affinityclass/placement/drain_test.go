package placement_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// exodus is a small random cluster whose first node is being drained.
type exodus struct {
	*rand.Rand
	nodes   []*v1.Node
	pods    []*v1.Pod
	leaving []*v1.Pod
}

func (d *exodus) pick(values ...string) string { return values[d.IntN(len(values))] }

func (d *exodus) app() string { return d.pick("a", "b", "c") }

func (d *exodus) key() string { return d.pick(host, host, v1.LabelTopologyZone, "rack") }

func (d *exodus) build() {
	for i := range 3 + d.IntN(5) {
		n := node("n"+strconv.Itoa(i), zone("z"+strconv.Itoa(d.IntN(3))), allocatable(v1.ResourceCPU, d.pick("2", "4", "8")), allocatable(v1.ResourcePods, d.pick("4", "9")))
		if d.IntN(4) > 0 {
			label("rack", d.pick("1", "2"))(n)
		}
		if d.IntN(5) == 0 {
			taint("dedicated", "gpu", v1.TaintEffectNoSchedule)(n)
		}
		d.nodes = append(d.nodes, n)
	}
	for i := range 4 + d.IntN(14) {
		p := d.pod("p"+strconv.Itoa(i), on(d.nodes[d.IntN(len(d.nodes))].Name))
		d.pods = append(d.pods, p)
		if p.Spec.NodeName == "n0" && d.IntN(5) > 0 {
			d.leaving = append(d.leaving, p)
		}
	}
}

func (d *exodus) pod(name string, change ...func(*v1.Pod)) *v1.Pod {
	p := pod(name, app(d.app()), asks(v1.ResourceCPU, d.pick("100m", "500m", "1", "2")))
	for _, f := range []func(*v1.Pod){
		apart(d.app(), d.key()), near(d.app(), d.key()), spreads(d.app(), d.key(), int32(1+d.IntN(2)), func(c *v1.TopologySpreadConstraint) {
			if d.IntN(3) == 0 {
				c.NodeTaintsPolicy = new(v1.NodeInclusionPolicyHonor)
			}
			if d.IntN(4) == 0 {
				c.MinDomains = new(int32(2))
			}
		}),
		hostPort(int32(80 + d.IntN(2))), func(p *v1.Pod) { p.Spec.Priority = new(int32(d.IntN(3))) },
		toleration(v1.Toleration{Operator: v1.TolerationOpExists}), asks("example.com/gpu", "1"),
		bears(d.pick("web", "batch")), binary(d.pick(withWeb, withoutBatch)),
	} {
		if d.IntN(5) == 0 {
			f(p)
		}
	}
	for _, f := range change {
		f(p)
	}
	return p
}

// before is the cluster with everybody; after is what a drain makes of it.
func (d *exodus) before() *placement.Snapshot {
	s := placement.NewSnapshot()
	for _, n := range d.nodes {
		s.SetNode(n)
	}
	for _, p := range d.pods {
		s.SetPod(p)
	}
	return s
}

func (d *exodus) after() *placement.Snapshot {
	s := d.before()
	drained := d.nodes[0].DeepCopy()
	cordoned(drained)
	taint(v1.TaintNodeUnschedulable, "", v1.TaintEffectNoSchedule)(drained)
	s.SetNode(drained)
	for _, key := range d.keys() {
		s.RemovePod(key)
	}
	return s
}

func (d *exodus) keys() []types.NamespacedName {
	var keys []types.NamespacedName
	for _, p := range d.leaving {
		keys = append(keys, types.NamespacedName{Namespace: p.Namespace, Name: p.Name})
	}
	return keys
}

// requests are for the Pods that left, to be placed anew.
func (d *exodus) requests(t *testing.T) []*placement.Request {
	var all []*placement.Request
	for _, p := range d.leaving {
		p = p.DeepCopy()
		p.Spec.NodeName = ""
		all = append(all, request(t, p))
	}
	return all
}

func (d *exodus) others() []string {
	var names []string
	for _, n := range d.nodes[1:] {
		names = append(names, n.Name)
	}
	return names
}

func exoduses(t *testing.T, visit func(*exodus)) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	source := rand.New(rand.NewPCG(seed, 0))
	for i := range 1000 {
		d := &exodus{Rand: source}
		d.build()
		if visit(d); t.Failed() {
			t.Fatalf("in cluster %d", i)
		}
	}
}

// A snapshot with a drained node answers as one from which the Pods were removed.
func TestADrainedSnapshotAnswersAsAfterTheDrain(t *testing.T) {
	exoduses(t, func(d *exodus) {
		drained := d.before().Drain("n0", d.keys())
		after, only := d.after(), placement.Options{Nodes: d.others()}
		want := placement.Rank(after, d.requests(t), only)
		got := drained.Rank(d.requests(t), placement.Options{})
		for _, p := range want {
			p.Forced = false
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(placement.Reason{})); diff != "" {
			t.Errorf("rank (-after +drained):\n%s", diff)
		}
	})
}

// What Together says of a node is what Rank says when that node is the only one.
func TestTogetherIsRankOnEachNode(t *testing.T) {
	refused, accepted := map[string]int{}, 0
	exoduses(t, func(d *exodus) {
		requests, after := d.requests(t), d.after()
		for _, lodging := range d.before().Drain("n0", d.keys()).Together(requests, d.others()) {
			want, got := map[int]string{}, map[int]string{}
			for _, p := range placement.Rank(after, requests, placement.Options{Nodes: []string{lodging.Node}}) {
				if p.Winner == "" {
					want[p.Index] = dropped(p)
				}
			}
			for _, r := range lodging.Refused {
				got[r.Request] = inShort(r.Stage, r.Reason)
				refused[r.Stage]++
			}
			accepted += len(requests) - len(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-rank +together):\n%s", lodging.Node, diff)
			}
		}
	})
	t.Logf("%d accepted, refused %v", accepted, refused)
	for _, stage := range []string{"taints", "resources", "host_ports", "topology_spread", "pod_affinity", "pod_anti_affinity", "affinity_constraints"} {
		if refused[stage] < 30 {
			t.Errorf("%s refused %d times: the draw is too tame", stage, refused[stage])
		}
	}
}

func dropped(p *placement.Preview) string {
	last := p.Stages[len(p.Stages)-1]
	return inShort(last.Name, last.Dropped[0].Reason)
}

// inShort leaves out which of several Pods that stand in the way is named.
func inShort(stage string, reason *placement.Reason) string {
	if stage == "pod_anti_affinity" {
		return stage
	}
	return stage + ": " + reason.Rule
}

// Whatever order the Pods land in, each lands where Possible said it might.
func TestPossibleLeavesNoNodeOut(t *testing.T) {
	empty := 0
	exoduses(t, func(d *exodus) {
		drained := d.before().Drain("n0", d.keys())
		requests := d.requests(t)
		d.Shuffle(len(requests), func(i, j int) { requests[i], requests[j] = requests[j].WithPriority(0), requests[i].WithPriority(0) })
		for i, p := range drained.Rank(requests, placement.Options{}) {
			others := slices.Delete(slices.Clone(requests), i, i+1)
			possible := drained.Possible(requests[i], others)
			for _, c := range p.Candidates {
				if !slices.Contains(possible, c.Node) {
					t.Errorf("%s could go to %s, said to be possible: %v", p.Object.Name, c.Node, possible)
				}
			}
			if len(possible) == 0 {
				empty++
			}
		}
	})
	if empty < 10 {
		t.Errorf("%d Pods without any node: the draw is too tame", empty)
	}
}

func TestADrainGivesBackQuota(t *testing.T) {
	quota := &v1.ResourceQuota{}
	quota.Namespace, quota.Name = "shop", "pods"
	quota.Status.Hard = v1.ResourceList{v1.ResourcePods: resource.MustParse("2")}
	quota.Status.Used = v1.ResourceList{v1.ResourcePods: resource.MustParse("2")}
	moving := pod("db", on("a"))
	s := cluster(node("a"), node("b"), moving, pod("web", on("b")), quota)
	again := moving.DeepCopy()
	again.Spec.NodeName = ""
	d := s.Drain("a", []types.NamespacedName{{Namespace: "shop", Name: "db"}})
	if got := d.Rank([]*placement.Request{request(t, again)}, placement.Options{})[0]; got.Winner != "b" {
		t.Errorf("a Pod that takes the place of one that left is refused: %s", got.Aggregate())
	}
}

// What leaves is given back once: a quota that was lowered takes only so many again.
func TestADrainGivesBackQuotaOnce(t *testing.T) {
	quota := &v1.ResourceQuota{}
	quota.Namespace, quota.Name = "shop", "pods"
	quota.Status.Hard = v1.ResourceList{v1.ResourcePods: resource.MustParse("1")}
	quota.Status.Used = v1.ResourceList{v1.ResourcePods: resource.MustParse("2")}
	s := cluster(node("a"), node("b"), pod("db", on("a")), pod("web", on("a")), quota)
	d := s.Drain("a", []types.NamespacedName{{Namespace: "shop", Name: "db"}, {Namespace: "shop", Name: "web"}})
	got := d.Rank([]*placement.Request{request(t, pod("db")), request(t, pod("web"))}, placement.Options{})
	if got[0].Winner != "b" || got[1].Winner != "" {
		t.Errorf("a quota of one Pod takes %q and %q", got[0].Winner, got[1].Winner)
	}
}

// A Pod of another node that is taken away leaves its room, its ports and its terms.
func TestADrainTakesAPodOfAnotherNodeAway(t *testing.T) {
	there := pod("there", on("b"), asks(v1.ResourceCPU, "3"), hostPort(80), apart("web", host))
	s := cluster(node("a"), node("b", allocatable(v1.ResourceCPU, "4")), pod("web", app("web"), on("a")), there)
	again := request(t, pod("web", app("web"), asks(v1.ResourceCPU, "3"), hostPort(80)))
	web := types.NamespacedName{Namespace: "shop", Name: "web"}
	for _, tt := range []struct {
		gone    []types.NamespacedName
		refused int
	}{{[]types.NamespacedName{web}, 1}, {[]types.NamespacedName{web, {Namespace: "shop", Name: "there"}}, 0}} {
		d := s.Drain("a", tt.gone)
		lodging := d.Together([]*placement.Request{again}, []string{"b"})[0]
		ranked, possible := d.Rank([]*placement.Request{again}, placement.Options{})[0], d.Possible(again, nil)
		if len(lodging.Refused) != tt.refused || (ranked.Winner == "b") != (tt.refused == 0) || len(possible) != 1-tt.refused {
			t.Errorf("without %v: together %+v, ranked %q, possible %v", tt.gone, lodging.Refused, ranked.Winner, possible)
		}
	}
}

func TestTheDrainedNodeTakesNobodyBack(t *testing.T) {
	s := cluster(node("a"))
	r := request(t, pod("db", toleration(v1.Toleration{Operator: v1.TolerationOpExists})))
	d := s.Drain("a", nil)
	if p := d.Preview(r, placement.Options{}); len(p.Candidates) > 0 {
		t.Errorf("got %v", names(p))
	}
	if got := d.Together([]*placement.Request{r}, []string{"a", "nowhere"}); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}
