package nodeset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// readDemands reads the requirements of a term by the rules of
// labels.NewRequirement and nodeaffinity. It returns false when Kubernetes could
// not parse one, or when m is spent.
func readDemands(from *corev1.NodeSelectorTerm, m *meter) ([]demand, bool) {
	n := len(from.MatchExpressions) + len(from.MatchFields)
	if !m.spend(priceRead * n) {
		return nil, false
	}
	demands := make([]demand, 0, n)
	for i := range from.MatchExpressions {
		d, ok := readExpression(&from.MatchExpressions[i], m)
		if !ok {
			return nil, false
		}
		demands = append(demands, d)
	}
	for i := range from.MatchFields {
		d, ok := readField(&from.MatchFields[i])
		if !ok {
			return nil, false
		}
		if d.read != nil {
			demands = append(demands, d)
		}
	}
	return demands, true
}

// readExpression reads a requirement on a label.
func readExpression(r *corev1.NodeSelectorRequirement, m *meter) (demand, bool) {
	d := demand{key: r.Key}
	if !m.spend(priceRead*len(r.Values)) || !isKey(r.Key) || !allValues(r.Values) {
		return d, false
	}
	count := len(r.Values)
	switch r.Operator {
	case corev1.NodeSelectorOpIn:
		d.read = func(v *values) { v.require(r.Values) }
		return d, count > 0
	case corev1.NodeSelectorOpNotIn:
		d.read = func(v *values) { v.refuse(r.Values) }
		return d, count > 0
	case corev1.NodeSelectorOpExists:
		d.read = (*values).exist
		return d, count == 0
	case corev1.NodeSelectorOpDoesNotExist:
		d.read = (*values).lack
		return d, count == 0
	}
	return readComparison(d, r)
}

func readComparison(d demand, r *corev1.NodeSelectorRequirement) (demand, bool) {
	if len(r.Values) != 1 {
		return d, false
	}
	n, ok := number(r.Values[0])
	switch r.Operator {
	case corev1.NodeSelectorOpGt:
		d.read = func(v *values) { v.above(n) }
	case corev1.NodeSelectorOpLt:
		d.read = func(v *values) { v.below(n) }
	default:
		return d, false
	}
	return d, ok
}

func allValues(list []string) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !isValue(s) })
}

// readField reads a requirement on a field: In or NotIn of exactly one value. A
// field other than the name reads as empty (fields.Set.Get); a requirement that
// it always keeps has no read, one that it never keeps matches nothing.
func readField(r *corev1.NodeSelectorRequirement) (demand, bool) {
	d := demand{key: nodeName}
	if len(r.Values) != 1 || r.Operator != corev1.NodeSelectorOpIn && r.Operator != corev1.NodeSelectorOpNotIn {
		return d, false
	}
	value, in := r.Values[0], r.Operator == corev1.NodeSelectorOpIn
	switch {
	case r.Key != nodeNameField:
		return d, in == (value == "")
	case !isNodeName(value): // the name of no node
		return d, !in
	case in:
		d.read = func(v *values) { v.require(r.Values) }
	default:
		d.read = func(v *values) { v.refuse(r.Values) }
	}
	return d, true
}
