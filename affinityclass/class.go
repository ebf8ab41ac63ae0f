package affinityclass

import (
	"errors"
	"maps"
	"slices"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// ErrNoSelector says that a class names no nodes. The CRD refuses such a class;
// one that is stored all the same holds no Pod, so nothing may pass by it.
var ErrNoSelector = errors.New("spec.nodeSelector is empty")

// Class is an AffinityClass ready to check Pods. It is immutable and safe for
// concurrent use.
type Class struct {
	name   string
	action v1alpha1.EnforcementAction
	pairs  []pair // sorted by key
}

type pair struct{ key, value string }

// Compile prepares a class. The error is ErrNoSelector when the class names
// no nodes.
func Compile(class *v1alpha1.AffinityClass) (*Class, error) {
	selector := class.Spec.NodeSelector
	if len(selector) == 0 {
		return nil, ErrNoSelector
	}
	pairs := make([]pair, 0, len(selector))
	for _, key := range slices.Sorted(maps.Keys(selector)) {
		pairs = append(pairs, pair{key, selector[key]})
	}
	return &Class{name: class.Name, action: class.Spec.EnforcementAction, pairs: pairs}, nil
}

// Name is the name of the AffinityClass.
func (c *Class) Name() string { return c.name }

// Action says what a broken contract means; an absent action is Deny.
func (c *Class) Action() v1alpha1.EnforcementAction {
	if c.action == "" {
		return v1alpha1.Deny
	}
	return c.action
}

// Contradicts says whether no node can belong to both classes, because they
// want different values of one label.
func (c *Class) Contradicts(other *Class) bool {
	for _, mine := range c.pairs {
		for _, theirs := range other.pairs {
			if mine.key == theirs.key && mine.value != theirs.value {
				return true
			}
		}
	}
	return false
}
