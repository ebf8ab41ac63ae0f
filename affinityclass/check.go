package affinityclass

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/nodeset"
)

// Constraints are a Pod's own hard constraints on nodes. Its JSON is a part of
// a PodSpec's, so a Pod can be decoded no further than what is judged.
type Constraints struct {
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	Affinity     *Affinity         `json:"affinity,omitempty"`
}

// Affinity is a Pod's affinity as far as it is read. A class looks only at what
// binds the Pod to nodes; its terms about other Pods are for others to judge.
type Affinity struct {
	NodeAffinity    *NodeAffinity           `json:"nodeAffinity,omitempty"`
	PodAffinity     *corev1.PodAffinity     `json:"podAffinity,omitempty"`
	PodAntiAffinity *corev1.PodAntiAffinity `json:"podAntiAffinity,omitempty"`
}

// ToPods is the part of it that is about other Pods; nil for none.
func (a *Affinity) ToPods() *corev1.Affinity {
	if a == nil {
		return nil
	}
	return &corev1.Affinity{PodAffinity: a.PodAffinity, PodAntiAffinity: a.PodAntiAffinity}
}

// NodeAffinity is its required half.
type NodeAffinity struct {
	Required *corev1.NodeSelector `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// The fields in which a Pod keeps what a class asks for.
const (
	NodeSelectorField = "spec.nodeSelector"
	NodeAffinityField = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
)

// NotImplied is what a violation has found when the Pod's affinity speaks of the
// key and still allows nodes without the pair.
const NotImplied = "not implied by affinity"

func (c Constraints) required() *corev1.NodeSelector {
	if c.Affinity == nil || c.Affinity.NodeAffinity == nil {
		return nil
	}
	return c.Affinity.NodeAffinity.Required
}

// nodes is the set of nodes that the constraints allow.
func (c Constraints) nodes() nodeset.Set { return nodeset.Of(c.NodeSelector, c.required()) }

// speaksOf says whether the required affinity has a requirement on the key.
func (c Constraints) speaksOf(key string) bool {
	selector := c.required()
	return selector != nil && slices.ContainsFunc(selector.NodeSelectorTerms, func(term corev1.NodeSelectorTerm) bool {
		return slices.ContainsFunc(term.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool { return r.Key == key })
	})
}

// Violation is one way in which a Pod breaks a class's contract.
type Violation struct {
	Class string `json:"-"`
	Fence bool   `json:"-"`     // the tenant's, which no class of the Pod's can open
	Field string `json:"field"` // path inside the Pod, such as spec.nodeSelector
	Key   string `json:"key,omitempty"`
	Want  string `json:"want,omitempty"`
	// Got is the value found, NotImplied, or empty for none; Seen says it in words.
	Got     string `json:"got"`
	Seen    string `json:"-"`
	Message string `json:"message"`
}

// Check returns one violation for each pair of the class's nodeSelector that the
// Pod's constraints do not imply, sorted by key, and one more, without a key,
// when they do not imply its nodeSelectorTerms; none when every node that the
// constraints allow is a node of the class. The plain case, every pair of a
// class without terms in the Pod's own nodeSelector, costs no allocation.
func (c *Class) Check(pod Constraints) []Violation {
	q := question{pod: pod}
	var broken []Violation
	for i := range c.pairs {
		if violation, ok := q.implies(&c.pairs[i]); !ok {
			violation.Class = c.name
			broken = append(broken, violation)
		}
	}
	if c.terms == nil {
		return broken
	}
	if message := q.escapes(c); message != "" {
		broken = append(broken, Violation{Class: c.name, Field: NodeAffinityField, Message: message})
	}
	return broken
}

// question asks about one Pod. Each answer may cost nodeset.Budget, and a tenant
// writes the Pod: once one could not be had, no other is sought.
type question struct {
	pod   Constraints
	spent bool
}

func (q *question) subset(of nodeset.Set) nodeset.Answer {
	if q.spent {
		return nodeset.Unproven{}
	}
	answer := nodeset.Subset(q.pod.nodes(), of)
	_, q.spent = answer.(nodeset.Unproven)
	return answer
}

// implies says whether the constraints allow no node without the pair.
func (q *question) implies(p *pair) (Violation, bool) {
	got, found := q.pod.NodeSelector[p.key]
	if found && got == p.value {
		return Violation{}, true
	}
	v := Violation{Field: NodeSelectorField, Key: p.key, Want: p.value, Got: got, Seen: "found none"}
	switch answer := q.subset(p.nodes); {
	case answer == nodeset.Inside{}:
		return v, true
	case answer == nodeset.Unproven{}:
		v.Got, v.Seen = NotImplied, unproven
	case found:
		v.Seen = fmt.Sprintf("found %q", got)
	case q.pod.speaksOf(p.key):
		v.Got, v.Seen = NotImplied, NotImplied
	}
	v.Message = fmt.Sprintf("nodeSelector %s=%s is required, %s", p.key, p.value, v.Seen)
	return v, false
}

const unproven = "which could not be proven of so complex an affinity"

// escapes says how the constraints allow a node outside the class's terms; empty
// when they allow none.
func (q *question) escapes(c *Class) string {
	switch answer := q.subset(*c.terms).(type) {
	case nodeset.Inside:
		return ""
	case nodeset.Outside:
		return fmt.Sprintf("a node with %s would be accepted by the Pod but is outside class %q", answer.Witness, c.name)
	default:
		return fmt.Sprintf("a node of class %q is required, %s", c.name, unproven)
	}
}
