package nodeset

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// largest is about what the API server admits in one object: etcd takes 1.5 MiB.
const largest = 1_500_000

// patience is far more than Budget takes, at the best of some tries on a busy
// machine, and far less than the formulas below would take if any large part of
// the work were not counted.
const patience = slowdown * 25 * time.Millisecond

// TestHostileFormulasCostNoMoreThanTheBudget asks about formulas made to be slow:
// huge in one of their dimensions, or small and hard.
func TestHostileFormulasCostNoMoreThanTheBudget(t *testing.T) {
	full := fence(300)
	tests := []struct {
		name  string
		inner formula
		outer Set
		want  string
	}{
		{"many terms", anyOf(largest/70, func(i int) corev1.NodeSelectorTerm { return all(in(key(i%16), value(i))) }), full, "Outside"},
		{"many terms that are inside", anyOf(largest/5_000, outerTerm), full, "Unproven"},
		{"many terms that contradict themselves", anyOf(largest/120, func(i int) corev1.NodeSelectorTerm {
			return all(in("a", "x"), in("a", "y"))
		}), full, "Unproven"},
		{"many empty terms", anyOf(largest/3, func(int) corev1.NodeSelectorTerm { return all() }), full, "Unproven"},
		{"many requirements", only(largest/70, func(i int) corev1.NodeSelectorRequirement { return in(key(i), "v") }), full, "Unproven"},
		{"many requirements on one key", only(largest/70, func(i int) corev1.NodeSelectorRequirement { return notIn(key(0), value(i)) }), full, "Unproven"},
		{"many values", only(1, func(int) corev1.NodeSelectorRequirement { return in(key(0), list(largest/10)...) }), full, "Unproven"},
		{"as many values as can be read", only(1, func(int) corev1.NodeSelectorRequirement { return in(key(0), list(3500)...) }), full, "Outside"},
		{"a value as long as the object", only(1, func(int) corev1.NodeSelectorRequirement { return in(key(0), strings.Repeat("a", largest)) }), full, "Inside"},
		{"a key as long as the object", only(1, func(int) corev1.NodeSelectorRequirement { return in(strings.Repeat("a.", largest/2)) }), full, "Inside"},
		{"many pairs", formula{Labels: pairs(largest / 20)}, full, "Unproven"},
		{"integers whose plain spellings are refused", only(2, func(i int) corev1.NodeSelectorRequirement {
			return []corev1.NodeSelectorRequirement{gt(key(0), "0"), notIn(key(0), list(3500)...)}[i]
		}), full, "Unproven"},
		{"no constraint before a full fence", formula{}, full, "Outside"},
		{"pigeons and holes", only(9, func(i int) corev1.NodeSelectorRequirement { return in(key(i), list(8)...) }), pigeonhole(8), "Unproven"},
		{"random clauses of three", only(200, func(i int) corev1.NodeSelectorRequirement { return in(key(i), "0", "1") }), clauses(200, 900), "Unproven"},
		{"cheap points before a dear one", formula{}, ladder(60), "Outside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fastest := time.Duration(math.MaxInt64)
			var answer Answer
			var m *meter
			runtime.GC()
			for try := 0; try < 5 || try < 50 && fastest > patience; try++ {
				m = &meter{left: Budget}
				start := time.Now()
				answer = decide(tt.inner.set(), tt.outer.union, m)
				fastest = min(fastest, time.Since(start))
			}
			t.Logf("%-8s %5d µs, %5d steps", name(answer), fastest.Microseconds(), Budget-max(m.left, 0))
			if got := name(answer); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if fastest > patience {
				t.Errorf("took %s: some work is not counted", fastest)
			}
			if o, ok := answer.(Outside); ok && (!newWorld().shows(o.Witness, newOracle(tt.inner), nil) || tt.outer.union.mayHold(&o.Witness, unmetered())) {
				t.Errorf("%s shows nothing", o.Witness)
			}
		})
	}
}

func key(i int) string { return fmt.Sprintf("key-%d", i) }

func value(i int) string { return fmt.Sprintf("v%d", i) }

func list(n int) []string {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint(i)
	}
	return values
}

func pairs(n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[key(i)] = "v"
	}
	return m
}

func requirement(key string, op corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: op, Values: values}
}

func in(key string, values ...string) corev1.NodeSelectorRequirement {
	return requirement(key, corev1.NodeSelectorOpIn, values...)
}

func notIn(key string, values ...string) corev1.NodeSelectorRequirement {
	return requirement(key, corev1.NodeSelectorOpNotIn, values...)
}

func gt(key, value string) corev1.NodeSelectorRequirement {
	return requirement(key, corev1.NodeSelectorOpGt, value)
}

func all(r ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: r}
}

// only is a formula of one term.
func only(n int, r func(i int) corev1.NodeSelectorRequirement) formula {
	return anyOf(1, func(int) corev1.NodeSelectorTerm {
		t := all()
		for i := range n {
			t.MatchExpressions = append(t.MatchExpressions, r(i))
		}
		return t
	})
}

func anyOf(n int, term func(i int) corev1.NodeSelectorTerm) formula {
	s := &corev1.NodeSelector{}
	for i := range n {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, term(i))
	}
	return formula{Selector: s}
}
