package cluster

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/lineage"
)

// children are releases by the release that their Flux labels name. Whether that
// one exists, and counts for them, is not asked: a label is no evidence.
type children map[types.NamespacedName]map[types.NamespacedName]*lineage.Object

// move follows one release from what it was to what it is, nil for nothing.
func (c children) move(before, after *lineage.Object) {
	if parent, ok := lineage.FluxRelease(before); ok {
		delete(c[parent], nameOf(before))
		if len(c[parent]) == 0 {
			delete(c, parent)
		}
	}
	if parent, ok := lineage.FluxRelease(after); ok {
		if c[parent] == nil {
			c[parent] = map[types.NamespacedName]*lineage.Object{}
		}
		c[parent][nameOf(after)] = after
	}
}

func nameOf(release *lineage.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: release.Namespace, Name: release.Name}
}

// Children are the releases whose Flux labels name this one, by namespace and
// name. They are shared and not to be changed.
func (c *ReleaseCache) Children(namespace, name string) []*lineage.Object {
	c.mu.RLock()
	defer c.mu.RUnlock()
	found := make([]*lineage.Object, 0, len(c.children[types.NamespacedName{Namespace: namespace, Name: name}]))
	for _, child := range c.children[types.NamespacedName{Namespace: namespace, Name: name}] {
		found = append(found, child)
	}
	slices.SortFunc(found, func(a, b *lineage.Object) int { return byName(nameOf(a), nameOf(b)) })
	return found
}

// Parents are the names that Flux labels of releases give, whether or not there is
// such a release, sorted.
func (c *ReleaseCache) Parents() []types.NamespacedName {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := make([]types.NamespacedName, 0, len(c.children))
	for name := range c.children {
		names = append(names, name)
	}
	slices.SortFunc(names, byName)
	return names
}

func byName(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
