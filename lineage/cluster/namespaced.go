package cluster

import (
	"slices"

	"github.com/cozystack/affinityclass/lineage"
)

// Releases are those of namespaces, sorted. They are shared and not to be changed. It
// looks at every release of the cluster: it is for what people do by hand.
func (c *ReleaseCache) Releases(namespaces []string) []*lineage.Object {
	asked := make(map[string]bool, len(namespaces))
	for _, namespace := range namespaces {
		asked[namespace] = true
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	var found []*lineage.Object
	for name, release := range c.byName {
		if asked[name.Namespace] {
			found = append(found, release)
		}
	}
	slices.SortFunc(found, func(a, b *lineage.Object) int { return byName(nameOf(a), nameOf(b)) })
	return found
}
