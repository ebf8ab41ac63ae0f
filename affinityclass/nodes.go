package affinityclass

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Has says whether the node belongs to the class. A term that Kubernetes cannot
// parse matches no node.
func (c *Class) Has(node *corev1.Node) bool {
	for _, p := range c.pairs {
		if value, ok := node.Labels[p.key]; !ok || value != p.value {
			return false
		}
	}
	if c.selector == nil {
		return true
	}
	matches, err := nodeaffinity.NewLazyErrorNodeSelector(c.selector).Match(node)
	return matches && err == nil
}
