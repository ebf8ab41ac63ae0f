package placement_test

import (
	"fmt"
	"strconv"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// node is a Ready node with a hostname, room for 110 Pods, 4 cpus and 16Gi.
func node(name string, change ...func(*v1.Node)) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelHostname: name}}}
	n.Status.Allocatable = v1.ResourceList{
		v1.ResourceCPU: resource.MustParse("4"), v1.ResourceMemory: resource.MustParse("16Gi"),
		v1.ResourcePods: resource.MustParse("110"),
	}
	n.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionTrue}}
	for _, c := range change {
		c(n)
	}
	return n
}

func label(key, value string) func(*v1.Node) {
	return func(n *v1.Node) { n.Labels[key] = value }
}

func zone(value string) func(*v1.Node) { return label(v1.LabelTopologyZone, value) }

func taint(key, value string, effect v1.TaintEffect) func(*v1.Node) {
	return func(n *v1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: key, Value: value, Effect: effect})
	}
}

func allocatable(name v1.ResourceName, amount string) func(*v1.Node) {
	return func(n *v1.Node) { n.Status.Allocatable[name] = resource.MustParse(amount) }
}

// pod is shop/NAME with one container that asks nothing, labelled app=NAME.
func pod(name string, change ...func(*v1.Pod)) *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: types.UID("uid-" + name), Labels: map[string]string{"app": name},
	}}
	p.Spec.Containers = []v1.Container{{Name: "main"}}
	for _, c := range change {
		c(p)
	}
	return p
}

func on(name string) func(*v1.Pod) { return func(p *v1.Pod) { p.Spec.NodeName = name } }

func in(namespace string) func(*v1.Pod) { return func(p *v1.Pod) { p.Namespace = namespace } }

func app(value string) func(*v1.Pod) { return func(p *v1.Pod) { p.Labels["app"] = value } }

func asks(name v1.ResourceName, amount string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		if p.Spec.Containers[0].Resources.Requests == nil {
			p.Spec.Containers[0].Resources.Requests = v1.ResourceList{}
		}
		p.Spec.Containers[0].Resources.Requests[name] = resource.MustParse(amount)
	}
}

func selects(key, value string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		if p.Spec.NodeSelector == nil {
			p.Spec.NodeSelector = map[string]string{}
		}
		p.Spec.NodeSelector[key] = value
	}
}

func toleration(t v1.Toleration) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Spec.Tolerations = append(p.Spec.Tolerations, t) }
}

func hostPort(port int32) func(*v1.Pod) {
	return func(p *v1.Pod) {
		p.Spec.Containers[0].Ports = append(p.Spec.Containers[0].Ports, v1.ContainerPort{HostPort: port, ContainerPort: port})
	}
}

func matching(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// near requires a Pod of the app in the same domain; apart forbids one.
func near(app, key string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		a := affinity(p)
		if a.PodAffinity == nil {
			a.PodAffinity = &v1.PodAffinity{}
		}
		a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(
			a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			v1.PodAffinityTerm{LabelSelector: matching(app), TopologyKey: key})
	}
}

func apart(app, key string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		a := affinity(p)
		if a.PodAntiAffinity == nil {
			a.PodAntiAffinity = &v1.PodAntiAffinity{}
		}
		a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = append(
			a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			v1.PodAffinityTerm{LabelSelector: matching(app), TopologyKey: key})
	}
}

func affinity(p *v1.Pod) *v1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &v1.Affinity{}
	}
	return p.Spec.Affinity
}

func spreads(app, key string, skew int32, change ...func(*v1.TopologySpreadConstraint)) func(*v1.Pod) {
	return func(p *v1.Pod) {
		c := v1.TopologySpreadConstraint{
			TopologyKey: key, MaxSkew: skew, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: matching(app),
		}
		for _, f := range change {
			f(&c)
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
}

// cluster is a snapshot of nodes, Pods and namespaces.
func cluster(objects ...any) *placement.Snapshot {
	s := placement.NewSnapshot()
	for _, object := range objects {
		switch o := object.(type) {
		case *v1.Node:
			s.SetNode(o)
		case *v1.Pod:
			s.SetPod(o)
		case *v1.Namespace:
			s.SetNamespace(o)
		case placement.PriorityClass:
			s.SetPriorityClass(o)
		case *v1.ResourceQuota:
			s.SetQuota(o)
		case string:
			if err := s.SetMachine([]byte(o)); err != nil {
				panic(err)
			}
		default:
			panic(fmt.Sprintf("no place for a %T", o))
		}
	}
	return s
}

func request(t testing.TB, p *v1.Pod) *placement.Request {
	t.Helper()
	r, err := placement.FromPod(p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func machineRequest(t testing.TB, text string) *placement.Request {
	t.Helper()
	r, err := placement.FromMachine([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ask(t testing.TB, s *placement.Snapshot, p *v1.Pod) *placement.Preview {
	t.Helper()
	return s.Preview(request(t, p), placement.Options{})
}

// names lists the candidates, best first.
func names(p *placement.Preview) []string {
	var all []string
	for _, c := range p.Candidates {
		all = append(all, c.Node)
	}
	return all
}

// city is a cluster of n nodes in three zones with ten Pods each, of 500
// applications; every tenth application keeps its Pods apart by host. Nodes come
// by name, as an API server lists them.
func city(n int) *placement.Snapshot {
	s := placement.NewSnapshot()
	for i := range n {
		s.SetNode(node(nodeName(i), zone("zone-"+strconv.Itoa(i%3)), func(n *v1.Node) {
			n.Labels[v1.LabelArchStable], n.Labels[v1.LabelOSStable] = "amd64", "linux"
			n.Labels["pool"] = "pool-" + strconv.Itoa(i%7)
		}))
	}
	for i := range 10 * n {
		s.SetPod(citizen(i, n))
	}
	return s
}

func nodeName(i int) string { return fmt.Sprintf("node-%05d", i) }

func citizen(i, nodes int) *v1.Pod {
	name := "app-" + strconv.Itoa(i%500)
	p := pod(name+"-7d9f8c6b5-"+strconv.Itoa(i), in("team-"+strconv.Itoa(i%50)), app(name),
		on(nodeName((i*7+i/nodes)%nodes)), asks(v1.ResourceCPU, strconv.Itoa(100+i%5)+"m"),
		asks(v1.ResourceMemory, "256Mi"))
	p.UID = types.UID(fmt.Sprintf("8f2c8d1e-0000-4000-8000-%012d", i))
	p.Labels["app.kubernetes.io/part-of"] = "shop"
	p.Labels["pod-template-hash"] = "7d9f8c6b5"
	if i%10 == 3 {
		apart(name, v1.LabelHostname)(p)
	}
	return p
}
