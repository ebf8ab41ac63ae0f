package main

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// nodes are three in each of two datacenters: one of them has a GPU, and one is
// kept free by a taint.
func nodes() []controlplane.NodeSpec {
	var specs []controlplane.NodeSpec
	for _, name := range []string{"dc1-a", "dc1-b", "dc1-c", "dc2-a", "dc2-b", "dc2-c"} {
		zone := name[:len("dc1")]
		specs = append(specs, controlplane.NodeSpec{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: zone}})
	}
	gpu, tainted := &specs[2], &specs[5]
	gpu.Capacity = corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1")}
	tainted.Taints = []corev1.Taint{{Key: "dedicated", Value: "backup", Effect: corev1.TaintEffectNoSchedule}}
	return specs
}
