package conformance_test

import (
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// bare is a Pod of one container without wishes.
func bare(name string, change func(*v1.Pod)) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("u-" + name), Namespace: "n1", Labels: map[string]string{"app": "a"}}}
	p.Spec.Containers = []v1.Container{{Name: "c"}}
	change(p)
	return p
}

// two is a scene of the nodes a, in zone x, and b, in zone y, where `old` stands
// on a.
func two(pod, old *v1.Pod) *scene {
	c := &scene{pod: pod, pods: []*v1.Pod{old}}
	for name, zone := range map[string]string{"a": "x", "b": "y"} {
		c.nodes = append(c.nodes, &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name, v1.LabelTopologyZone: zone}},
			Status:     v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1"), v1.ResourcePods: resource.MustParse("9")}}})
	}
	old.Spec.NodeName = "a"
	return c
}

func apart(s *metav1.LabelSelector) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
			{LabelSelector: s, TopologyKey: v1.LabelTopologyZone}}}}
	}
}

func spreads(change func(*v1.TopologySpreadConstraint)) func(*v1.Pod) {
	return func(p *v1.Pod) {
		c := v1.TopologySpreadConstraint{TopologyKey: v1.LabelTopologyZone, MaxSkew: 1, WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}}
		change(&c)
		p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{c}
	}
}

// Where a reader of the documentation would guess wrong.
func TestBothSidesAgreeOnWhatIsEasilyMistaken(t *testing.T) {
	plain := func(*v1.Pod) {}
	every := &metav1.LabelSelector{}
	tests := []struct {
		name     string
		old, pod func(*v1.Pod)
		want     []string
	}{
		{"no selector selects no Pod", plain, apart(nil), []string{"a", "b"}},
		{"an empty selector selects every Pod", plain, apart(every), []string{"b"}},
		{"a Pod that is there refuses by its own term", apart(every), plain, []string{"b"}},
		{"a spread constraint counts what is there", plain, spreads(func(*v1.TopologySpreadConstraint) {}), []string{"b"}},
		{"fewer domains than minDomains count as an empty one", plain,
			spreads(func(c *v1.TopologySpreadConstraint) { c.MinDomains = new(int32(3)) }), []string{"b"}},
		{"a terminating Pod does not count for spread", func(p *v1.Pod) { p.DeletionTimestamp = &metav1.Time{} },
			spreads(func(*v1.TopologySpreadConstraint) {}), []string{"a", "b"}},
		{"the host port of a sidecar is taken", hasSidecar, hasPort, []string{"b"}},
		{"a request of zero fits an over-committed node", asks("2"), asks("0"), []string{"a", "b"}},
		{"nothing free is not enough for anything", asks("1"), asks("1m"), []string{"b"}},
		{"the whole Pod's request replaces its containers'", asks("500m"), func(p *v1.Pod) {
			asks("100m")(p)
			p.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("800m")}}
		}, []string{"b"}},
		{"a Pod that was relabelled keeps the label keys of its creation", func(p *v1.Pod) {
			apart(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "rev", Operator: metav1.LabelSelectorOpIn, Values: []string{"1"}}}})(p)
			p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].MatchLabelKeys = []string{"rev"}
			p.Labels["rev"] = "2"
		}, func(p *v1.Pod) { p.Labels["rev"] = "1" }, []string{"b"}},
		{"a node term without requirements matches no node", plain, func(p *v1.Pod) {
			p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{{}}}}}
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := two(bare("new", tt.pod), bare("old", tt.old))
			if got := theirs(t, c); !slices.Equal(got, tt.want) {
				t.Errorf("kube-scheduler finds %v, want %v", got, tt.want)
			}
			if got := ours(c); !slices.Equal(got, tt.want) {
				t.Errorf("placement finds %v, want %v", got, tt.want)
			}
		})
	}
}

func asks(cpu string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}
	}
}

func hasPort(p *v1.Pod) { p.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80}} }

func hasSidecar(p *v1.Pod) {
	p.Spec.InitContainers = []v1.Container{{Name: "i", RestartPolicy: new(v1.ContainerRestartPolicyAlways),
		Ports: []v1.ContainerPort{{HostPort: 80}}}}
}

// What is reported must still be a disagreement, and bear nothing that is not
// needed for it.
func TestAFailingCaseIsMadeSmall(t *testing.T) {
	needs := func(c *scene) bool {
		return slices.ContainsFunc(c.pods, func(p *v1.Pod) bool { return p.Name == "p3" })
	}
	for number := range int64(1_000) {
		c := draw(mixed, number)
		if !needs(c) {
			continue
		}
		small := shrink(c, needs)
		if len(small.pods) != 1 || len(small.nodes) != 1 || len(small.namespaces) != 0 || small.pod.Spec.Affinity != nil {
			t.Fatalf("case %d keeps %d Pods, %d nodes, %d namespaces", number, len(small.pods), len(small.nodes), len(small.namespaces))
		}
		return
	}
	t.Fatal("no case has the Pod that is looked for")
}
