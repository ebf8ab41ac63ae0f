package nodeset

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// formula is a set before Of, so that the scheduler's own matcher can be asked
// about it as well.
type formula struct {
	Labels   map[string]string
	Selector *corev1.NodeSelector
}

func (f formula) set() Set { return Of(f.Labels, f.Selector) }

// oracle matches nodes as the scheduler does.
type oracle []nodeaffinity.RequiredNodeAffinity

func newOracle(formulas ...formula) oracle {
	var o oracle
	for _, f := range formulas {
		affinity := &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: f.Selector}}
		o = append(o, nodeaffinity.NewRequiredNodeAffinity(f.Labels, affinity))
	}
	return o
}

func (o oracle) match(node *corev1.Node) bool {
	return slices.ContainsFunc(o, func(r nodeaffinity.RequiredNodeAffinity) bool {
		matched, _ := r.Match(node) // an error is a term that matches nothing
		return matched
	})
}

// world is enough nodes to tell apart whatever some formulas can: for each key
// absence, every value they hold, a word they do not hold, and integers that they
// do not hold on, below and above each bound.
type world struct {
	keys   []string
	values [][]string
	names  []string
}

func newWorld(formulas ...formula) world {
	values := map[string]map[string]bool{}
	names := map[string]bool{"fresh": true}
	see := func(key string, list ...string) {
		if values[key] == nil {
			values[key] = map[string]bool{"fresh": true}
		}
		for _, v := range list {
			values[key][v] = isValue(v)
		}
	}
	for _, f := range formulas {
		for key, value := range f.Labels {
			see(key, value)
		}
		for _, term := range terms(f.Selector) {
			for _, r := range term.MatchExpressions {
				see(r.Key, slices.Concat(r.Values, around(r))...)
			}
			for _, r := range term.MatchFields {
				for _, name := range r.Values {
					names[name] = isNodeName(name)
				}
			}
		}
	}
	w := world{names: held(names)}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if isKey(key) {
			w.keys, w.values = append(w.keys, key), append(w.values, held(values[key]))
		}
	}
	return w
}

func terms(s *corev1.NodeSelector) []corev1.NodeSelectorTerm {
	if s == nil {
		return nil
	}
	return s.NodeSelectorTerms
}

func held(set map[string]bool) []string {
	maps.DeleteFunc(set, func(_ string, valid bool) bool { return !valid })
	return slices.Sorted(maps.Keys(set))
}

// around has the integers next to a bound in their shortest and their longest
// spelling, which no generated formula has.
func around(r corev1.NodeSelectorRequirement) []string {
	if r.Operator != corev1.NodeSelectorOpGt && r.Operator != corev1.NodeSelectorOpLt {
		return nil
	}
	var list []string
	for _, v := range r.Values {
		if n, ok := number(v); ok && n < math.MaxInt64 {
			for _, near := range []int64{max(n-1, 0), n, n + 1} {
				plain := strconv.FormatInt(near, 10)
				list = append(list, plain, strings.Repeat("0", maxValue-len(plain))+plain)
			}
		}
	}
	return list
}

// size is how many nodes the world has.
func (w world) size() int {
	n := len(w.names)
	for _, values := range w.values {
		if n *= 1 + len(values); n > 1<<30 {
			break
		}
	}
	return n
}

// smallest is the least number of labels of a node of the world that is in inner
// and not in outer; none if there is no such node.
func (w world) smallest(inner, outer oracle) int {
	h := &hunt{world: w, inner: inner, outer: outer, best: math.MaxInt}
	h.node.Labels = map[string]string{}
	h.label(0)
	if h.best == math.MaxInt {
		return none
	}
	return h.best
}

type hunt struct {
	world
	inner, outer oracle
	node         corev1.Node
	best         int
}

func (h *hunt) label(i int) {
	if len(h.node.Labels) >= h.best {
		return
	}
	if i == len(h.keys) {
		h.judge()
		return
	}
	h.label(i + 1)
	for _, value := range h.values[i] {
		h.node.Labels[h.keys[i]] = value
		h.label(i + 1)
	}
	delete(h.node.Labels, h.keys[i])
}

func (h *hunt) judge() {
	for _, name := range h.names {
		h.node.Name = name
		if h.inner.match(&h.node) && !h.outer.match(&h.node) {
			h.best = len(h.node.Labels)
			return
		}
	}
}

// shows says whether a witness is a node in inner and not in outer, under every
// name if it has none.
func (w world) shows(witness Witness, inner, outer oracle) bool {
	names := w.names
	if witness.Name != "" {
		names = []string{witness.Name}
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: witness.Labels}}
		return !inner.match(node) || outer.match(node)
	})
}
