package placement_test

import (
	"math/rand/v2"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// drawer draws Pods that the API server takes; the same source gives the same.
type drawer struct{ *rand.Rand }

func (d drawer) once(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d drawer, values ...T) T { return values[d.IntN(len(values))] }

func (d drawer) pod(i int) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: "pod-" + strconv.Itoa(i), Namespace: pick(d, spaces()...),
		Labels: map[string]string{"app": pick(d, "a", "b", "c", "d"), "rev": pick(d, "1", "2")},
	}}
	p.Spec.TerminationGracePeriodSeconds = new(int64(0))
	c := corev1.Container{Name: "main", Image: "example.com/app:1"}
	c.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(pick(d, "100m", "300m", "500m", "1", "3", "5"))}
	if d.once(6) {
		port := pick[int32](d, 8080, 9090)
		c.Ports = []corev1.ContainerPort{{ContainerPort: port, HostPort: port}}
	}
	p.Spec.Containers = []corev1.Container{c}
	if d.once(6) {
		side := corev1.Container{Name: "side", Image: c.Image, RestartPolicy: new(corev1.ContainerRestartPolicyAlways)}
		side.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("200m")}
		p.Spec.InitContainers = []corev1.Container{side}
	}
	if d.once(4) {
		p.Spec.NodeSelector = pick(d, map[string]string{"rack": "1"}, map[string]string{corev1.LabelTopologyZone: "zone-0"},
			map[string]string{corev1.LabelTopologyZone: "zone-9"})
	}
	if d.once(3) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "dedicated", Operator: pick(d, corev1.TolerationOpExists, corev1.TolerationOpEqual)}}
		if p.Spec.Tolerations[0].Operator == corev1.TolerationOpEqual {
			p.Spec.Tolerations[0].Value = pick(d, "gpu", "other")
		}
	}
	d.neighbours(p)
	d.tags(p)
	return p
}

func (d drawer) neighbours(p *corev1.Pod) {
	p.Spec.Affinity = &corev1.Affinity{}
	if d.once(3) {
		p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{d.term()}}
	}
	if d.once(5) {
		p.Spec.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{d.term()}}
	}
	if !d.once(3) {
		return
	}
	c := corev1.TopologySpreadConstraint{
		TopologyKey: pick(d, corev1.LabelTopologyZone, corev1.LabelHostname, "rack"), MaxSkew: int32(1 + d.IntN(2)),
		WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: d.selector(),
	}
	if d.once(3) {
		c.MinDomains = new(int32(1 + d.IntN(4)))
	}
	if d.once(2) {
		c.NodeTaintsPolicy = new(corev1.NodeInclusionPolicyHonor)
	}
	if d.once(3) {
		c.MatchLabelKeys = []string{"rev"}
	}
	p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{c}
}

func (d drawer) selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(d, "a", "b", "c", "d")}}
}

func (d drawer) term() corev1.PodAffinityTerm {
	t := corev1.PodAffinityTerm{LabelSelector: d.selector(),
		TopologyKey: pick(d, corev1.LabelHostname, corev1.LabelHostname, corev1.LabelTopologyZone, "rack")}
	if d.once(3) {
		t.NamespaceSelector = pick(d, &metav1.LabelSelector{}, &metav1.LabelSelector{MatchLabels: map[string]string{"team": "bank"}})
	}
	if d.once(3) {
		t.MatchLabelKeys = []string{"rev"}
	}
	return t
}
