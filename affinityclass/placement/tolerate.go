package placement

import v1 "k8s.io/api/core/v1"

// tolerates says whether one of the tolerations answers the taint. An operator
// that is not known matches nothing; Exists without a key answers every taint.
// The numeric operators are off in Kubernetes unless a gate is opened.
// Source: Toleration.ToleratesTaint of k8s.io/api/core/v1, whose logger this
// package may not have.
func tolerates(tolerations []v1.Toleration, taint *v1.Taint) bool {
	for i := range tolerations {
		if answers(&tolerations[i], taint) {
			return true
		}
	}
	return false
}

func answers(t *v1.Toleration, taint *v1.Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case v1.TolerationOpExists:
		return true
	case v1.TolerationOpEqual, "":
		return t.Value == taint.Value
	default:
		return false
	}
}

// untoleratedAt is where the first taint stands that keeps new Pods away and is
// not tolerated; -1 when there is none.
func untoleratedAt(taints []v1.Taint, tolerations []v1.Toleration) int {
	for i := range taints {
		effect := taints[i].Effect
		if (effect == v1.TaintEffectNoSchedule || effect == v1.TaintEffectNoExecute) && !tolerates(tolerations, &taints[i]) {
			return i
		}
	}
	return -1
}

// disliked says whether the node bears an untolerated PreferNoSchedule taint.
func disliked(taints []v1.Taint, tolerations []v1.Toleration) bool {
	for i := range taints {
		if taints[i].Effect == v1.TaintEffectPreferNoSchedule && !tolerates(tolerations, &taints[i]) {
			return true
		}
	}
	return false
}

// spell writes a taint as kubectl does, without its effect.
func spell(taint *v1.Taint) string {
	if taint.Value == "" {
		return taint.Key
	}
	return taint.Key + "=" + taint.Value
}
