package conformance_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// BenchmarkAgainstKubeScheduler compares a preview (filter, score and order of
// all nodes) with the PreFilter and Filter plugins of kube-scheduler over all
// nodes, by turns. The bar is a ratio below 1.
func BenchmarkAgainstKubeScheduler(b *testing.B) {
	for _, nodes := range []int{500, 1_000, 5_000, 15_000} {
		compare(b, nodes)
	}
}

func compare(b *testing.B, nodes int) {
	c := city(nodes)
	snapshot := snapshotOf(c)
	real, stop := newScheduler(b, c)
	defer stop()
	for _, n := range newcomers() {
		request, err := placement.FromPod(n.pod)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s/%d nodes", n.name, nodes), func(b *testing.B) {
			var mine, other time.Duration
			for b.Loop() {
				start := time.Now()
				snapshot.Preview(request, placement.Options{})
				middle := time.Now()
				real.feasible(n.pod)
				mine, other = mine+middle.Sub(start), other+time.Since(middle)
			}
			b.ReportMetric(float64(mine.Microseconds())/float64(b.N), "ours-µs")
			b.ReportMetric(float64(other.Microseconds())/float64(b.N), "theirs-µs")
			b.ReportMetric(float64(mine)/float64(other), "ours/theirs")
		})
	}
}

type newcomer struct {
	name string
	pod  *v1.Pod
}

func newcomers() []newcomer {
	same := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "app-3"}}
	plain, spread, apart, near := citizen("new", 3), citizen("new", 3), citizen("new", 3), citizen("new", 3)
	spread.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		TopologyKey: v1.LabelTopologyZone, MaxSkew: 5, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: same}}
	apart.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: same, TopologyKey: v1.LabelHostname}}}}
	near.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: same, TopologyKey: v1.LabelTopologyZone}}}}
	return []newcomer{{"plain", plain}, {"zone spread", spread}, {"apart by host", apart}, {"near one, by zone", near}}
}

// city has ten Pods a node, of 500 applications; one Pod in ten keeps its own
// kind off its node.
func city(n int) *scene {
	c := &scene{}
	for i := range n {
		name := "node-" + strconv.Itoa(i)
		c.nodes = append(c.nodes, &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				v1.LabelHostname: name, v1.LabelTopologyZone: "zone-" + strconv.Itoa(i%3),
				v1.LabelArchStable: "amd64", v1.LabelOSStable: "linux", "pool": "p" + strconv.Itoa(i%7)}},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{
				v1.ResourceCPU: resource.MustParse("4"), v1.ResourceMemory: resource.MustParse("16Gi"), v1.ResourcePods: resource.MustParse("110")}},
		})
	}
	for i := range 10 * n {
		p := citizen("p"+strconv.Itoa(i), i)
		p.Spec.NodeName = "node-" + strconv.Itoa((i*7+i/n)%n)
		if i%10 == 3 {
			own := &metav1.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}
			p.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{
				{LabelSelector: own, TopologyKey: v1.LabelHostname}}}}
		}
		c.pods = append(c.pods, p)
	}
	return c
}

func citizen(name string, i int) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "team-" + strconv.Itoa(i%50),
		Labels: map[string]string{"app": "app-" + strconv.Itoa(i%500), "h": "1"}}}
	p.Spec.Containers = []v1.Container{{Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("100m"), v1.ResourceMemory: resource.MustParse("256Mi")}}}}
	return p
}
