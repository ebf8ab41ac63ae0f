package cluster

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/cozystack/affinityclass/lineage"
)

// part is a release, a part of the one that parent names; none where it is empty.
func part(name, parentNamespace, parent string) *unstructured.Unstructured {
	release := ReleaseKind()
	release.SetNamespace("shop")
	release.SetName(name)
	labels := map[string]string{"a": "b"}
	if parent != "" {
		labels[lineage.LabelFluxName] = parent
	}
	if parentNamespace != "" {
		labels[lineage.LabelFluxNamespace] = parentNamespace
	}
	release.SetLabels(labels)
	return release
}

// families draws every parent with its children.
func (c *ReleaseCache) families() []string {
	var drawn []string
	for _, parent := range c.Parents() {
		line := parent.String() + ":"
		for _, child := range c.Children(parent.Namespace, parent.Name) {
			line += " " + child.Name
		}
		drawn = append(drawn, line)
	}
	return drawn
}

func TestChildrenFollowTheirLabels(t *testing.T) {
	c := WatchReleases(nil)
	remove := func(release *unstructured.Unstructured) { c.remove(release) }
	set := func(release *unstructured.Unstructured) { c.set(release) }
	for _, step := range []struct {
		name   string
		do     func(*unstructured.Unstructured)
		object *unstructured.Unstructured
		want   []string
	}{
		{"a release of its own has no parent", set, part("web", "", ""), nil},
		{"without a namespace the own one is meant", set, part("web-db", "", "web"), []string{"shop/web: web-db"}},
		{"with its own it is the same parent", set, part("web-cache", "shop", "web"), []string{"shop/web: web-cache web-db"}},
		{"a parent need not be there", set, part("web-far", "zoo", "gone"), []string{"shop/web: web-cache web-db", "zoo/gone: web-far"}},
		{"an update keeps one entry", set, part("web-db", "", "web"), []string{"shop/web: web-cache web-db", "zoo/gone: web-far"}},
		{"one moves to another parent", set, part("web-db", "zoo", "gone"), []string{"shop/web: web-cache", "zoo/gone: web-db web-far"}},
		{"one leaves its parent", set, part("web-cache", "", ""), []string{"zoo/gone: web-db web-far"}},
		{"a namespace alone names nothing", set, part("web-cache", "zoo", ""), []string{"zoo/gone: web-db web-far"}},
		{"one is deleted, as the cache held it", remove, part("web-db", "", ""), []string{"zoo/gone: web-far"}},
		{"one that was never there is deleted", remove, part("none", "zoo", "gone"), []string{"zoo/gone: web-far"}},
		{"the last one is deleted", remove, part("web-far", "zoo", "gone"), nil},
	} {
		step.do(step.object)
		if diff := cmp.Diff(step.want, c.families()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	if len(c.children) != 0 {
		t.Errorf("what is gone is kept: %v", c.children)
	}
}

func TestAChildIsAsTheCacheHoldsIt(t *testing.T) {
	c := WatchReleases(nil)
	c.set(part("web-db", "", "web"))
	moved := part("web-db", "", "web")
	moved.SetAnnotations(map[string]string{"note": "new"})
	c.set(moved)
	held, _ := c.Release("shop", "web-db")
	if got := c.Children("shop", "web"); len(got) != 1 || got[0] != held || held.Annotations["note"] != "new" {
		t.Errorf("the child is %v, the release %v", got, held)
	}
	c.remove(toolscache.DeletedFinalStateUnknown{Key: "shop/web-db", Obj: moved})
	if got := c.Children("shop", "web"); len(got) != 0 {
		t.Errorf("a deletion that was missed leaves %v", got)
	}
}

// An event costs the same in a large family as in a small one.
func BenchmarkAnEventOfOneChild(b *testing.B) {
	for _, siblings := range []int{10, 10_000} {
		b.Run(fmt.Sprint(siblings, " siblings"), func(b *testing.B) {
			c := WatchReleases(nil)
			for i := range siblings {
				c.set(part(fmt.Sprint("web-", i), "", "web"))
			}
			one := part("web-5", "", "web")
			for b.Loop() {
				c.set(one)
			}
		})
	}
}
