package surge_test

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

const host, zoneKey = v1.LabelHostname, v1.LabelTopologyZone

// node is a Ready node with room for 110 Pods, 4 cpus and 16Gi.
func node(name string, change ...func(*v1.Node)) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{host: name}}}
	n.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("4"), v1.ResourceMemory: resource.MustParse("16Gi"), v1.ResourcePods: resource.MustParse("110"),
	}
	n.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
	for _, c := range change {
		c(n)
	}
	return n
}

func label(key, value string) func(*v1.Node) { return func(n *v1.Node) { n.Labels[key] = value } }

func has(name v1.ResourceName, amount string) func(*v1.Node) {
	return func(n *v1.Node) { n.Status.Allocatable[name] = resource.MustParse(amount) }
}

func taint(key, value string) func(*v1.Node) {
	return func(n *v1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: v1.TaintEffectNoSchedule})
	}
}

// pod is shop/NAME of a ReplicaSet, labelled app=NAME, with one container that
// asks nothing.
func pod(name string, change ...func(*v1.Pod)) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"app": name},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name, Controller: new(true)}},
	}}
	p.Spec.Containers = []v1.Container{{Name: "main"}}
	for _, c := range change {
		c(p)
	}
	return p
}

func on(name string) func(*v1.Pod) { return func(p *v1.Pod) { p.Spec.NodeName = name } }

func app(value string) func(*v1.Pod) { return func(p *v1.Pod) { p.Labels["app"] = value } }

func daemon(p *v1.Pod) { p.OwnerReferences[0].Kind = "DaemonSet" }

func mirrored(p *v1.Pod) { p.Annotations = map[string]string{v1.MirrorPodAnnotationKey: "x"} }

func done(p *v1.Pod) { p.Status.Phase = v1.PodSucceeded }

func asks(name v1.ResourceName, amount string) func(*v1.Pod) {
	return func(p *v1.Pod) { request(&p.Spec.Containers[0], name, amount) }
}

func request(c *v1.Container, name v1.ResourceName, amount string) {
	if c.Resources.Requests == nil {
		c.Resources.Requests = v1.ResourceList{}
	}
	c.Resources.Requests[name] = resource.MustParse(amount)
}

// starts adds an init container; with sidecar as its change it stays.
func starts(name v1.ResourceName, amount string, change ...func(*v1.Container)) func(*v1.Pod) {
	return func(p *v1.Pod) {
		c := v1.Container{Name: "init"}
		request(&c, name, amount)
		for _, f := range change {
			f(&c)
		}
		p.Spec.InitContainers = append(p.Spec.InitContainers, c)
	}
}

func sidecar(c *v1.Container) { c.RestartPolicy = new(v1.ContainerRestartPolicyAlways) }

func hostPort(port int32) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports, v1.ContainerPort{HostPort: port, ContainerPort: port})
	}
}

func matching(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// apart refuses Pods of an app in the domain; near wants one there.
func apart(app, key string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		a := affinity(p)
		if a.PodAntiAffinity == nil {
			a.PodAntiAffinity = &v1.PodAntiAffinity{}
		}
		a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(
			a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, v1.PodAffinityTerm{LabelSelector: matching(app), TopologyKey: key})
	}
}

func near(app, key string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		a := affinity(p)
		if a.PodAffinity == nil {
			a.PodAffinity = &v1.PodAffinity{}
		}
		a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(
			a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution, v1.PodAffinityTerm{LabelSelector: matching(app), TopologyKey: key})
	}
}

func affinity(p *v1.Pod) *v1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &v1.Affinity{}
	}
	return p.Spec.Affinity
}

func spreads(app, key string, skew int32) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			TopologyKey: key, MaxSkew: skew, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: matching(app),
		})
	}
}

func candidate(n *v1.Node, pods ...*v1.Pod) *surge.Candidate {
	return &surge.Candidate{Node: n, Pods: slices.Clone(pods)}
}
