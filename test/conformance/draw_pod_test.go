package conformance_test

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (d *drawer) pod(name string) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID("u-" + name), Namespace: pick(d, "n1", "n2", "n3"), Labels: d.labels(),
	}}
	d.containers(p)
	if d.in(nodeAffinity, spread) {
		d.nodes(p)
	}
	for d.in(taints, spread) && d.once(2) {
		p.Spec.Tolerations = append(p.Spec.Tolerations, d.toleration())
	}
	if d.in(affinity) && d.often(2) {
		d.neighbours(p)
	}
	for d.in(spread) && d.often(3) && len(p.Spec.TopologySpreadConstraints) < 2 {
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, d.constraint(p))
	}
	return p
}

func (d *drawer) labels() map[string]string {
	m := map[string]string{}
	for _, key := range []string{"app", "rev", "tier"} {
		if !d.once(3) {
			m[key] = pick(d, "a", "b", "c")
		}
	}
	return m
}

func (d *drawer) containers(p *v1.Pod) {
	for range 1 + d.IntN(2) {
		p.Spec.Containers = append(p.Spec.Containers, d.container())
	}
	if d.in(resources, ports) && d.once(4) {
		c := d.container()
		if d.once(2) {
			c.RestartPolicy = new(v1.ContainerRestartPolicyAlways)
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
	if d.in(resources) && d.once(8) {
		p.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: resource.MustParse("250m")}
	}
	if d.in(resources) && d.once(8) {
		p.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("3")}}
	}
}

func (d *drawer) container() v1.Container {
	c := v1.Container{Name: "c"}
	if d.in(resources) {
		c.Resources.Requests = d.requests()
	}
	if d.in(ports) && d.often(4) {
		c.Ports = append(c.Ports, v1.ContainerPort{
			HostPort: pick[int32](d, 80, 81, 0), HostIP: pick(d, "", "0.0.0.0", "1.1.1.1", "2.2.2.2"),
			Protocol: pick(d, v1.ProtocolTCP, v1.ProtocolUDP, ""),
		})
	}
	return c
}

func (d *drawer) requests() v1.ResourceList {
	list := v1.ResourceList{}
	ask := func(name v1.ResourceName, amounts ...string) {
		list[name] = resource.MustParse(pick(d, amounts...))
	}
	if !d.once(3) {
		ask(v1.ResourceCPU, "0", "100m", "500m", "1", "2")
	}
	if d.once(2) {
		ask(v1.ResourceMemory, "1Gi", "2Gi", "500M")
	}
	if d.once(5) {
		ask("example.com/gpu", "0", "1", "2")
	}
	if d.once(6) {
		ask(v1.ResourceEphemeralStorage, "1Gi")
	}
	if d.once(8) {
		ask("hugepages-2Mi", "4Mi")
	}
	return list
}

func (d *drawer) toleration() v1.Toleration {
	return v1.Toleration{
		Key:      pick(d, "", "t", "u", v1.TaintNodeUnschedulable),
		Operator: pick(d, v1.TolerationOpExists, v1.TolerationOpEqual, "", "Bad", v1.TolerationOpLt),
		Value:    pick(d, "", "1"),
		Effect:   pick(d, "", v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute),
	}
}
