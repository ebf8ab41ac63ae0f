package affinityclass

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cozystack/affinityclass/affinityclass/nodeset"
)

// Fence is the union of the classes that a tenant may use: every Pod of the
// tenant's namespace has to stay inside it, whatever made the Pod. It is immutable
// and safe for concurrent use. The zero Fence, of no class, holds no node.
type Fence struct {
	classes []*Class
	names   string
	nodes   func() nodeset.Set // of all classes; compiled when first asked for
}

// NewFence makes the fence of these classes; names are those that people are told,
// classes among them that do not exist.
func NewFence(names []string, classes []*Class) Fence {
	return Fence{classes: classes, names: quoted(names), nodes: sync.OnceValue(func() nodeset.Set { return union(classes) })}
}

// Check says how the constraints allow a node outside the fence; false when every
// node that they allow belongs to one of the classes. A Pod that plainly keeps one
// class costs no allocation.
func (f Fence) Check(pod Constraints) (Violation, bool) {
	for _, class := range f.classes {
		if class.plainlyHolds(pod) {
			return Violation{}, false
		}
	}
	v := Violation{Field: f.field(), Fence: true}
	if f.names == "" {
		v.Message = "no AffinityClass is allowed here, so no node is"
		return v, true
	}
	switch answer := nodeset.Subset(pod.nodes(), f.nodes()).(type) {
	case nodeset.Inside:
		return Violation{}, false
	case nodeset.Outside:
		v.Message = fmt.Sprintf("a node with %s would be accepted by the Pod but is in none of the allowed classes: %s", answer.Witness, f.names)
	default:
		v.Message = fmt.Sprintf("a node of one of the allowed classes is required (%s), %s", f.names, unproven)
	}
	return v, true
}

// field is where a Pod is narrowed to a class: a class without terms needs no affinity.
func (f Fence) field() string {
	if slices.ContainsFunc(f.classes, func(c *Class) bool { return c.terms == nil }) {
		return NodeSelectorField
	}
	return NodeAffinityField
}

func union(classes []*Class) nodeset.Set {
	sets := make([]nodeset.Set, 0, len(classes))
	for _, class := range classes {
		sets = append(sets, class.nodes)
	}
	return nodeset.Union(sets...)
}

// plainlyHolds says whether the Pod's own nodeSelector has every pair of a class
// that has nothing else.
func (c *Class) plainlyHolds(pod Constraints) bool {
	if c.terms != nil {
		return false
	}
	for i := range c.pairs {
		if value, ok := pod.NodeSelector[c.pairs[i].key]; !ok || value != c.pairs[i].value {
			return false
		}
	}
	return true
}

func quoted(names []string) string {
	marked := make([]string, len(names))
	for i, name := range names {
		marked[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(marked, ", ")
}
