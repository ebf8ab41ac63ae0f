package placement_test

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// A snapshot is kept by events; a preview of it says where a Pod could land.
func ExampleSnapshot_Preview() {
	s := placement.NewSnapshot()
	for _, zone := range []string{"east", "west"} {
		s.SetNode(&v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "node-" + zone, Labels: map[string]string{v1.LabelTopologyZone: zone}},
			Status: v1.NodeStatus{Allocatable: v1.ResourceList{
				v1.ResourceCPU: resource.MustParse("4"), v1.ResourcePods: resource.MustParse("110"),
			}},
		})
	}
	r, err := placement.FromPod(&v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec:       v1.PodSpec{NodeSelector: map[string]string{v1.LabelTopologyZone: "west"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := s.Preview(r, placement.Options{})
	fmt.Println(p.Verdict, p.Winner)
	fmt.Println(p.Aggregate())
	// Output:
	// Fits node-west
	// 1 node(s): nodeSelector topology.kubernetes.io/zone=west not satisfied
}

// The requests of a workload are placed one after another. What does not fit any
// more says what is short.
func ExampleRank() {
	s := placement.NewSnapshot()
	s.SetNode(&v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourceCPU: resource.MustParse("1"), v1.ResourcePods: resource.MustParse("110"),
		}},
	})
	requests, _, err := placement.FromObject([]byte(`{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
		"spec": {"replicas": 2, "template": {"spec": {"containers": [
			{"name": "main", "resources": {"requests": {"cpu": "800m"}}}]}}}}`), placement.Copies{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range placement.Rank(s, requests, placement.Options{}) {
		fmt.Println(p.Object.Name, p.Verdict, p.Verdict.Code())
		if p.Shortfall != nil {
			fmt.Println(p.Shortfall.Short(), "short")
		}
	}
	// Output:
	// web-0 Fits 0
	// web-1 NoCapacity 507
	// 600m cpu short
}

// Explain judges every node at every stage and names the one step that helps.
func ExampleOptions_explain() {
	s := placement.NewSnapshot()
	s.SetNode(&v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "a"},
		Spec:       v1.NodeSpec{Taints: []v1.Taint{{Key: "dedicated", Value: "gpu", Effect: v1.TaintEffectNoSchedule}}},
		Status:     v1.NodeStatus{Allocatable: v1.ResourceList{v1.ResourcePods: resource.MustParse("110")}},
	})
	r, err := placement.FromPod(&v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range s.Preview(r, placement.Options{Explain: true}).Matrix {
		fmt.Println(row.Node, row.Reasons[0].Stage, "→", row.Fix)
	}
	// Output:
	// a taints → tolerate dedicated=gpu:NoSchedule
}
