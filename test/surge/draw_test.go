package surge_test

import (
	"math/rand/v2"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/test/controlplane"
)

// pool is where the random drains happen.
const pool = "random"

// drawer draws Deployments that the API server takes; the same source gives the
// same.
type drawer struct {
	*rand.Rand
	drawn int
}

func (d *drawer) once(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d *drawer, values ...T) T { return values[d.IntN(len(values))] }

// kind is a label that several Deployments share, so that they bear on each other.
func (d *drawer) kind() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"kind": pick(d, "a", "b", "c", "d")}}
}

func (d *drawer) key() string {
	return pick(d, corev1.LabelHostname, corev1.LabelHostname, corev1.LabelTopologyZone, "rack")
}

// nodes are ten in three zones and four racks, some larger, one without a rack.
func (d *drawer) nodes() []controlplane.NodeSpec {
	var specs []controlplane.NodeSpec
	for i := range 10 {
		n := controlplane.NodeSpec{
			Name:   "random-" + strconv.Itoa(i),
			Labels: map[string]string{"pool": pool, corev1.LabelTopologyZone: "zone-" + strconv.Itoa(i%3), "rack": strconv.Itoa(i % 4)},
			Capacity: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(strconv.Itoa(2 + 2*(i%2))), corev1.ResourcePods: resource.MustParse("8"),
			},
		}
		if i == 9 {
			delete(n.Labels, "rack")
		}
		specs = append(specs, n)
	}
	return specs
}

func (d *drawer) deployment() *appsv1.Deployment {
	d.drawn++
	name := "app-" + strconv.Itoa(d.drawn)
	object := service(name, pool, pick(d, "100m", "300m", "500m", "1", "1500m"), int32(1+d.IntN(3)))
	object.Spec.Template.Labels["kind"] = pick(d, "a", "b", "c", "d")
	spec := &object.Spec.Template.Spec
	if d.once(6) {
		delete(spec.Containers[0].Resources.Requests, corev1.ResourceCPU)
	}
	if d.once(6) {
		port := pick[int32](d, 8080, 9090)
		spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: port, HostPort: port}}
	}
	if d.once(5) {
		spec.NodeSelector["rack"] = pick(d, "0", "1", "2", "3")
	}
	d.neighbours(spec)
	return object
}

func (d *drawer) neighbours(spec *corev1.PodSpec) {
	spec.Affinity = &corev1.Affinity{}
	if d.once(2) {
		spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			{LabelSelector: d.kind(), TopologyKey: d.key()}}}
	}
	if d.once(5) {
		spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
			{LabelSelector: d.kind(), TopologyKey: d.key()}}}
	}
	if !d.once(3) {
		return
	}
	c := corev1.TopologySpreadConstraint{
		TopologyKey: d.key(), MaxSkew: int32(1 + d.IntN(2)), WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: d.kind(),
	}
	if d.once(4) {
		c.MinDomains = new(int32(1 + d.IntN(3)))
	}
	if d.once(3) {
		c.NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
	}
	spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{c}
}

// daemonSet puts a Pod on every node of the pool.
func daemonSet() *appsv1.DaemonSet {
	of := service("agent", pool, "100m", 1)
	return &appsv1.DaemonSet{ObjectMeta: of.ObjectMeta, Spec: appsv1.DaemonSetSpec{Selector: of.Spec.Selector, Template: of.Spec.Template}}
}
