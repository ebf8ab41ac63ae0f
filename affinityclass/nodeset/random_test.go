package nodeset

import (
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// dice makes formulas over universes so small that they often touch.
type dice struct {
	*rand.Rand
	keys int
}

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func one[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

// pair is an inner formula and the formulas of an outer union: unrelated, or the
// inner one drawn from the outer ones by changes.
func (d dice) pair() (inner formula, outer []formula) {
	for range 1 + d.IntN(2) {
		outer = append(outer, d.formula())
	}
	if d.chance(50) {
		return d.formula(), outer
	}
	from := one(d, outer...)
	inner = formula{Labels: from.Labels, Selector: from.Selector.DeepCopy()}
	if inner.Selector == nil {
		inner.Selector = d.selector()
	}
	list := terms(inner.Selector)
	for i := range list {
		if d.chance(60) {
			t := &list[i]
			t.MatchExpressions = append(t.MatchExpressions, d.expression())
		}
	}
	return inner, outer
}

func (d dice) formula() formula {
	f := formula{}
	if d.chance(35) {
		f.Labels = map[string]string{}
		for range 1 + d.IntN(2) {
			f.Labels[d.key()] = d.value()
		}
	}
	if f.Labels == nil || d.chance(50) {
		f.Selector = d.selector()
	}
	return f
}

func (d dice) selector() *corev1.NodeSelector {
	if d.chance(2) {
		return nil
	}
	s := &corev1.NodeSelector{}
	for range one(d, 0, 1, 1, 1, 2, 2, 2, 3, 3) {
		t := corev1.NodeSelectorTerm{}
		for range one(d, 0, 1, 1, 1, 2, 2, 2, 3) {
			t.MatchExpressions = append(t.MatchExpressions, d.expression())
		}
		if d.chance(12) {
			t.MatchFields = append(t.MatchFields, d.field())
		}
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, t)
	}
	return s
}

func (d dice) expression() corev1.NodeSelectorRequirement {
	r := corev1.NodeSelectorRequirement{Key: d.key()}
	r.Operator = one(d, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpNotIn,
		corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt)
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		for range one(d, 1, 1, 1, 2, 2, 2, 3, 3, 3) {
			r.Values = append(r.Values, d.value())
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		r.Values = []string{one(d, "7", "8", "8", "08", "9", "0")}
	}
	if d.chance(3) {
		d.spoil(&r)
	}
	return r
}

// spoil makes a requirement that Kubernetes cannot parse, most times.
func (d dice) spoil(r *corev1.NodeSelectorRequirement) {
	switch d.IntN(5) {
	case 0:
		r.Operator = one[corev1.NodeSelectorOperator](d, "", "in", "Equals")
	case 1:
		r.Values = nil
	case 2:
		r.Values = append(slices.Clone(r.Values), "x", "y")
	case 3:
		r.Values = []string{one(d, "-1", "+8", "x ", "9223372036854775808")}
	case 4:
		r.Key = one(d, "", "a b", "/a", "A/b", "a/b/c", "-")
	}
}

func (d dice) field() corev1.NodeSelectorRequirement {
	r := corev1.NodeSelectorRequirement{
		Key:      nodeNameField,
		Operator: one(d, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn),
		Values:   []string{one(d, "n1", "n1", "n2", "8")},
	}
	if d.chance(10) {
		r.Key = one(d, "metadata.namespace", "")
	}
	if d.chance(10) {
		r.Values = one(d, nil, []string{""}, []string{"n1", "n2"}, []string{"No Name"})
	}
	if d.chance(5) {
		r.Operator = corev1.NodeSelectorOpExists
	}
	return r
}

func (d dice) key() string { return keys[d.IntN(d.keys)] }

// keys has the key that is spelled as the node's name is: they are not the same.
var keys = []string{"a", "example.com/b", "metadata.name"}

func (d dice) value() string {
	if d.chance(1) {
		return one(d, "-1", "+8", "x y")
	}
	return one(d, "x", "x", "y", "", "8", "8", "08", "008", "7", "9")
}
