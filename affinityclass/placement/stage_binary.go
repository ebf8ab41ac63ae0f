package placement

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// affinityConstraints: what the binary value requires of the neighbours' tags.
// No neighbour is read when it requires nothing. The terms of require_with_tag can
// match on a node that bears the label of their topology, and on no other.
func affinityConstraints(r *run, _ []*node) judge {
	if !r.request.value.Requires() {
		return nil
	}
	c := r.crowd()
	alone := constrained(c.alone.Refusal)
	unmatched := lacksKey(v1.LabelHostname)
	return func(n *node) *Reason {
		if _, ok := n.object.Labels[v1.LabelHostname]; !ok && len(r.request.value.RequireWith) > 0 {
			return unmatched
		}
		if _, ok := c.sights[n]; !ok {
			return alone
		}
		return c.refuses(n)
	}
}

// constrained is the reason without a Pod; nil when nothing is refused.
func constrained(refusal binaryaffinity.Refusal) *Reason {
	if refusal == (binaryaffinity.Refusal{}) {
		return nil
	}
	term := string(refusal.Word)
	if refusal.Tag != "" {
		term += " " + refusal.Tag
	}
	return &Reason{Rule: refusal.String(), Term: term}
}

// refuses is the reason of a node with neighbours; the first by name of those in
// the way is named.
func (c *crowd) refuses(n *node) *Reason {
	refusal := c.at(n).Refusal
	reason := constrained(refusal)
	if refusal.Word != binaryaffinity.RequireWithout {
		return reason
	}
	var by *binaryaffinity.Placed
	for _, p := range c.on[n] {
		if p.Bears(refusal.Tag) && (by == nil || p.Name < by.Name) {
			by = p
		}
	}
	reason.Blocking = types.NamespacedName{Namespace: by.Namespace, Name: by.Name}
	if c.without(n, by).Refusal == (binaryaffinity.Refusal{}) {
		reason.Fix = "move " + reason.Blocking.String() + " away"
	}
	return reason
}

// without is what the request would see were one Pod not there.
func (c *crowd) without(n *node, gone *binaryaffinity.Placed) binaryaffinity.Sight {
	return c.ask.Look(func(yield func(*binaryaffinity.Placed) bool) {
		for _, p := range c.on[n] {
			if p != gone && !yield(p) {
				return
			}
		}
	})
}
