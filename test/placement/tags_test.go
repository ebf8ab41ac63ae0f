package placement_test

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// tags gives some Pods tags, and some a binary value with its terms, as admission
// does. No Pod requires a tag of its own, or a tag beside affinity of its own: there
// a preview and the scheduler differ, on purpose.
func (d drawer) tags(p *corev1.Pod) {
	own := ""
	if d.once(2) {
		own = pick(d, "x", "y", "z")
		p.Labels[binaryaffinity.TagPrefix+own] = ""
	}
	var v binaryaffinity.Value
	if with := pick(d, "x", "y", "z"); d.once(6) && with != own && p.Spec.Affinity.PodAffinity == nil {
		v.RequireWith = []string{with}
	}
	if d.once(6) && v.RequireWith == nil {
		v.RequireWithout = []string{pick(d, "x", "y", "z")}
	}
	if d.once(4) {
		v.PreferWith, v.PreferWithout = []string{pick(d, "x", "y")}, []string{"z"}
	}
	p.Annotations = map[string]string{binaryaffinity.Annotation: v.String()}
	p.Spec.Affinity = binaryaffinity.Translate(v, p.Spec.Affinity).Append(p.Spec.Affinity)
}
