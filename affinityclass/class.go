package affinityclass

import (
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/nodeset"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// ErrNoSelector says that a class names no nodes. The CRD refuses such a class;
// one that is stored all the same holds no Pod, so nothing may pass by it.
var ErrNoSelector = errors.New("spec has neither nodeSelector nor nodeSelectorTerms")

// Class is an AffinityClass ready to check Pods. It is immutable and safe for
// concurrent use.
type Class struct {
	name     string
	action   v1alpha1.EnforcementAction
	pairs    []pair               // sorted by key
	selector *corev1.NodeSelector // of the terms; nil without terms
	terms    *nodeset.Set         // the same, compiled
	nodes    nodeset.Set          // pairs and terms

	scheduling  Scheduling
	terminating bool
}

// pair is one label that every node of the class has.
type pair struct {
	key, value string
	nodes      nodeset.Set // that have the label
}

// Compile prepares a class. The error is ErrNoSelector when the class names
// no nodes.
func Compile(class *v1alpha1.AffinityClass) (*Class, error) {
	spec := class.DeepCopy().Spec
	if len(spec.NodeSelector) == 0 && len(spec.NodeSelectorTerms) == 0 {
		return nil, ErrNoSelector
	}
	c := &Class{
		name: class.Name, action: spec.EnforcementAction, selector: spec.NodeSelectorCore(),
		terminating: class.DeletionTimestamp != nil,
	}
	for _, key := range slices.Sorted(maps.Keys(spec.NodeSelector)) {
		value := spec.NodeSelector[key]
		nodes := nodeset.Of(map[string]string{key: value}, nil).Compile()
		c.pairs = append(c.pairs, pair{key, value, nodes})
	}
	if c.selector != nil {
		terms := nodeset.Of(nil, c.selector).Compile()
		c.terms = &terms
	}
	c.nodes = nodeset.Of(spec.NodeSelector, c.selector).Compile()
	c.scheduling = c.compileScheduling(&spec)
	return c, nil
}

// Name is the name of the AffinityClass.
func (c *Class) Name() string { return c.name }

// Terminating says that the class is being deleted: it still judges its Pods, and
// no release may begin to name it.
func (c *Class) Terminating() bool { return c.terminating }

// Action says what a broken contract means; an absent or unknown action is Deny.
func (c *Class) Action() v1alpha1.EnforcementAction {
	switch c.action {
	case v1alpha1.Warn, v1alpha1.Audit:
		return c.action
	default:
		return v1alpha1.Deny
	}
}

// Contradicts says whether it is certain that no node belongs to both classes.
func (c *Class) Contradicts(other *Class) bool {
	labels := c.labels()
	for _, p := range other.pairs {
		if value, taken := labels[p.key]; taken && value != p.value {
			return true
		}
		labels[p.key] = p.value
	}
	both := nodeset.Of(labels, conjunction(c.selector, other.selector))
	_, empty := nodeset.Subset(both, nodeset.Union()).(nodeset.Inside)
	return empty
}

func (c *Class) labels() map[string]string {
	labels := make(map[string]string, len(c.pairs))
	for _, p := range c.pairs {
		labels[p.key] = p.value
	}
	return labels
}

// conjunction matches the nodes that both selectors match: every term of the one
// with every term of the other.
func conjunction(a, b *corev1.NodeSelector) *corev1.NodeSelector {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	both := &corev1.NodeSelector{}
	for _, mine := range a.NodeSelectorTerms {
		for _, theirs := range b.NodeSelectorTerms {
			both.NodeSelectorTerms = append(both.NodeSelectorTerms, corev1.NodeSelectorTerm{
				MatchExpressions: slices.Concat(mine.MatchExpressions, theirs.MatchExpressions),
				MatchFields:      slices.Concat(mine.MatchFields, theirs.MatchFields),
			})
		}
	}
	return both
}
