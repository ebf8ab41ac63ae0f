package conformance_test

import (
	"math/rand/v2"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A family draws one kind of field and leaves the others out, so that none
// hides behind another; mixed draws all of them.
const (
	nodeAffinity = "node affinity"
	taints       = "taints"
	resources    = "resources"
	ports        = "ports"
	spread       = "spread"
	affinity     = "affinity"
	mixed        = "mixed"
)

func families() []string {
	return []string{nodeAffinity, taints, resources, ports, spread, affinity, mixed}
}

// scene is a cluster and the Pod that is to be placed.
type scene struct {
	nodes      []*v1.Node
	pods       []*v1.Pod
	namespaces []*v1.Namespace
	pod        *v1.Pod
}

// drawer draws scenes of a family; the same source gives the same scenes.
type drawer struct {
	*rand.Rand
	family string
}

// in says whether any of the families is being drawn.
func (d *drawer) in(families ...string) bool {
	if d.family == mixed {
		return true
	}
	for _, family := range families {
		if d.family == family {
			return true
		}
	}
	return false
}

// once in n times is true.
func (d *drawer) once(n int) bool { return d.IntN(n) == 0 }

// often is once in n times when fields are mixed, and twice in three when a
// family has the field to itself.
func (d *drawer) often(n int) bool {
	if d.family == mixed {
		return d.once(n)
	}
	return !d.once(3)
}

func pick[T any](d *drawer, values ...T) T { return values[d.IntN(len(values))] }

func (d *drawer) scene() *scene {
	c := &scene{}
	for i := range 1 + d.IntN(7) {
		c.nodes = append(c.nodes, d.node("node"+strconv.Itoa(i)))
	}
	for _, name := range []string{"n1", "n2", "n3"} {
		if !d.once(5) {
			c.namespaces = append(c.namespaces, d.namespace(name))
		}
	}
	for i := range d.IntN(14) {
		p := d.pod("p" + strconv.Itoa(i))
		p.Spec.NodeName = pick(d, c.nodes...).Name
		if d.once(6) {
			p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
		}
		d.live(p)
		c.pods = append(c.pods, p)
	}
	c.pod = d.pod("new")
	return c
}

// live changes a Pod as what runs may change: other labels than it was created
// with, a resize that is under way.
func (d *drawer) live(p *v1.Pod) {
	if d.once(5) {
		p.Labels["rev"] = pick(d, "a", "b", "c", "")
	}
	if d.in(resources) && d.once(4) {
		more := v1.ResourceList{v1.ResourceCPU: resource.MustParse(pick(d, "1", "3")), v1.ResourceMemory: resource.MustParse("1Gi")}
		for i := range p.Spec.Containers {
			p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, v1.ContainerStatus{Name: p.Spec.Containers[i].Name,
				AllocatedResources: more, Resources: &v1.ResourceRequirements{Requests: more}})
		}
		if d.once(3) {
			p.Status.Conditions = []v1.PodCondition{{Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: v1.PodReasonInfeasible}}
		}
	}
}

func (d *drawer) namespace(name string) *v1.Namespace {
	ns := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	if !d.once(4) {
		ns.Labels["team"] = pick(d, "x", "y")
	}
	return ns
}

func (d *drawer) node(name string) *v1.Node {
	n := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	label := func(key string, often int, values ...string) {
		if !d.once(often) {
			n.Labels[key] = pick(d, values...)
		}
	}
	label(v1.LabelHostname, 6, name)
	label(v1.LabelTopologyZone, 6, "x", "y", "z")
	label("rack", 4, "0", "1")
	label("num", 2, "1", "2", "3")
	n.Status.Allocatable = d.allocatable()
	for d.in(taints, spread) && d.once(4) {
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: pick(d, "t", "u"), Value: pick(d, "", "1"),
			Effect: pick(d, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, v1.TaintEffectPreferNoSchedule)})
	}
	n.Spec.Unschedulable = d.in(taints, spread) && d.once(8)
	if n.Spec.Unschedulable && d.once(2) { // as the node lifecycle controller taints it
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	return n
}

func (d *drawer) allocatable() v1.ResourceList {
	if !d.in(resources) {
		return v1.ResourceList{v1.ResourcePods: resource.MustParse("110")}
	}
	list := v1.ResourceList{
		v1.ResourceCPU:    resource.MustParse(pick(d, "2", "4", "8")),
		v1.ResourceMemory: resource.MustParse(pick(d, "4Gi", "8Gi")),
		v1.ResourcePods:   resource.MustParse(pick(d, "3", "110")),
	}
	if d.once(3) {
		list["example.com/gpu"] = resource.MustParse("2")
	}
	if d.once(2) {
		list[v1.ResourceEphemeralStorage] = resource.MustParse("2Gi")
		list["hugepages-2Mi"] = resource.MustParse("8Mi")
	}
	return list
}
