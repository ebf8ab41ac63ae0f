package nodeset

import (
	"fmt"
	"math/rand/v2"

	corev1 "k8s.io/api/core/v1"
)

// outerTerm is one of the terms of a full fence: 16 requirements of 16 values.
func outerTerm(i int) corev1.NodeSelectorTerm {
	t := all()
	for k := range 16 {
		r := in(key(k))
		for v := range 16 {
			r.Values = append(r.Values, fmt.Sprintf("v%d", i%97+v*(k+1)))
		}
		t.MatchExpressions = append(t.MatchExpressions, r)
	}
	return t
}

// fence is a union of classes, each as large as a class can be.
func fence(classes int) Set {
	var sets []Set
	for c := range classes {
		f := anyOf(16, func(i int) corev1.NodeSelectorTerm { return outerTerm(c*16 + i) })
		sets = append(sets, f.set())
	}
	return Union(sets...)
}

// pigeonhole holds the nodes with two of holes+1 pigeons in one hole: all, when
// each pigeon is in some hole.
func pigeonhole(holes int) Set {
	s := &corev1.NodeSelector{}
	for hole := range holes {
		for p := range holes + 1 {
			for q := range p {
				s.NodeSelectorTerms = append(s.NodeSelectorTerms, all(in(key(p), fmt.Sprint(hole)), in(key(q), fmt.Sprint(hole))))
			}
		}
	}
	return Of(nil, s).Compile()
}

// clauses holds the nodes that break one of n random clauses of three variables.
func clauses(variables, n int) Set {
	d := rand.New(rand.NewPCG(1, 2))
	s := &corev1.NodeSelector{}
	for range n {
		t := all()
		for _, v := range d.Perm(variables)[:3] {
			t.MatchExpressions = append(t.MatchExpressions, in(key(v), fmt.Sprint(d.IntN(2))))
		}
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, t)
	}
	return Of(nil, s).Compile()
}

// ladder holds the nodes that lack both labels of one of n pairs. A node outside
// has n labels, one of each pair, in 2^n ways.
func ladder(n int) Set {
	s := &corev1.NodeSelector{}
	for i := range n {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, all(
			requirement(key(i), corev1.NodeSelectorOpDoesNotExist), requirement(key(i+n), corev1.NodeSelectorOpDoesNotExist)))
	}
	return Of(nil, s).Compile()
}
