package reconcile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// release draws one: "shop/web dc1", with "<web" or "<zoo/web" for its parent, and
// "app", "remote", "gone" or "derived" for what else it is.
func release(drawn string) *lineage.Object {
	words := strings.Fields(drawn)
	namespace, name, _ := strings.Cut(words[0], "/")
	object := &lineage.Object{
		GroupKind: lineage.HelmRelease, Namespace: namespace, Name: name,
		Labels: map[string]string{}, Annotations: map[string]string{}, Release: &lineage.Release{},
	}
	for _, word := range words[1:] {
		describe(object, word)
	}
	return object
}

func describe(object *lineage.Object, word string) {
	parent, part := strings.CutPrefix(word, "<")
	target, elsewhere := strings.CutPrefix(word, "->")
	switch {
	case part:
		if namespace, name, other := strings.Cut(parent, "/"); other {
			object.Labels[lineage.LabelFluxNamespace], parent = namespace, name
		}
		object.Labels[lineage.LabelFluxName] = parent
	case elsewhere:
		object.Release.TargetNamespace = target
	case word == "app":
		object.Labels[lineage.LabelApplicationGroup], object.Labels[lineage.LabelApplicationKind], object.Labels[lineage.LabelApplicationName] = "g", "K", "n"
	case word == "remote":
		object.Release.Remote = true
	case word == "gone":
		object.Release.Terminating = true
	case word == "derived":
		object.Annotations[policy.SourceAnnotation] = string(policy.Parent)
	default:
		object.Labels[policy.ClassLabel] = word
	}
}

func TestWhichPartsStray(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		parent string
		child  string
		want   bool
	}{
		{name: "a part of another class", parent: "shop/web dc2", child: "shop/web-db dc1 <web", want: true},
		{name: "a part without a class", parent: "shop/web dc2", child: "shop/web-db <web", want: true},
		{name: "a part of the same class", parent: "shop/web dc2", child: "shop/web-db dc2 <web"},
		{name: "an application of its own", parent: "shop/web dc2", child: "shop/db dc1 app <web"},
		{name: "a part on another cluster", parent: "shop/web dc2", child: "shop/web-db dc1 remote <web"},
		{name: "a part that is being deleted", parent: "shop/web dc2", child: "shop/web-db dc1 gone <web"},
		{name: "a part of one that is being deleted", parent: "shop/web dc2 gone", child: "shop/web-db dc1 <web"},
		{name: "a part that got its class from one that has none now", parent: "shop/web", child: "shop/web-db dc1 derived <web", want: true},
		{name: "a part that named its class itself, of one that has none", reason: "it may", parent: "shop/web", child: "shop/web-db dc1 <web"},
		{name: "a part in the namespace into which the parent deploys", parent: "flux/web dc2 ->shop", child: "shop/web-db dc1 <flux/web", want: true},
		{name: "a part in a namespace into which it does not", reason: "anybody may write the label", parent: "flux/web dc2", child: "shop/web-db dc1 <flux/web"},
		{name: "a part of one that deploys to another cluster", parent: "shop/web dc2 remote", child: "shop/web-db dc1 <web"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := strays(release(test.parent), []*lineage.Object{release(test.child)})
			if (len(got) == 1) != test.want {
				t.Errorf("strays are %v, want one: %v; %s", got, test.want, test.reason)
			}
		})
	}
}

// waiting takes what is in a queue, in its order.
func waiting(q queue) []string {
	var names []string
	for q.Len() > 0 {
		next, _ := q.Get()
		names = append(names, next.String())
		q.Done(next)
	}
	return names
}

func newQueue(t *testing.T) queue {
	q := workqueue.NewTypedRateLimitingQueue(newPauses())
	t.Cleanup(q.ShutDown)
	return q
}

func TestWhichChangesHaveAParentLookedAt(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		before string
		after  string
		want   []string
	}{
		{name: "its class changed", before: "shop/web dc1", after: "shop/web dc2", want: []string{"shop/web"}},
		{name: "its class was removed", before: "shop/web dc1", after: "shop/web", want: []string{"shop/web"}},
		{name: "its class is the same", before: "shop/web dc1", after: "shop/web dc1 derived"},
		{name: "a release is new", reason: "its parts may be there before it", after: "shop/web dc1", want: []string{"shop/web"}},
		{name: "a part is new", reason: "it may have been admitted while its parent changed", after: "shop/web-db dc1 <web", want: []string{"shop/web-db", "shop/web"}},
		{name: "the class of a part changed", before: "shop/web-db dc1 <web", after: "shop/web-db dc2 <web", want: []string{"shop/web-db", "shop/web"}},
		{name: "a part has another parent", before: "shop/web-db dc1 <web", after: "shop/web-db dc1 <zoo/web", want: []string{"zoo/web"}},
		{name: "a part has no parent any more", before: "shop/web-db dc1 <web", after: "shop/web-db dc1"},
		{name: "a part was touched", before: "shop/web-db dc1 <web", after: "shop/web-db dc1 <web derived"},
		{name: "a release is gone", before: "shop/web dc1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var before, after *lineage.Object
			if test.before != "" {
				before = release(test.before)
			}
			if test.after != "" {
				after = release(test.after)
			}
			c := NewChildren(family{})
			q := newQueue(t)
			c.Changed(before, after) // not elected: to no effect
			if err := c.feed(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			c.Changed(before, after)
			if diff := cmp.Diff(test.want, waiting(q)); diff != "" {
				t.Errorf("looked at (-want +got); %s:\n%s", test.reason, diff)
			}
		})
	}
}

func TestWhoIsElectedLooksAtEveryParentFirst(t *testing.T) {
	c := NewChildren(newFamily("shop/web dc1", "shop/web-db dc1 <web", "shop/web-far dc1 <zoo/gone"))
	q := newQueue(t)
	if err := c.feed(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"shop/web", "zoo/gone"}, waiting(q)); diff != "" {
		t.Errorf("looked at (-want +got):\n%s", diff)
	}
}

func TestWhoIsNoLongerElectedIsToldOfNothing(t *testing.T) {
	c, old, next := NewChildren(family{}), newQueue(t), newQueue(t)
	for _, q := range []queue{old, next} {
		if err := c.feed(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	c.leave(old) // the end of an earlier election comes late
	c.Changed(nil, release("shop/web dc1"))
	c.leave(next)
	c.Changed(nil, release("shop/db dc1"))
	if got := fmt.Sprint(waiting(old), waiting(next)); got != "[] [shop/web]" {
		t.Errorf("told of %s", got)
	}
}

// family is Releases of a test.
type family map[types.NamespacedName]*lineage.Object

func newFamily(drawn ...string) family {
	f := family{}
	for _, each := range drawn {
		object := release(each)
		f[types.NamespacedName{Namespace: object.Namespace, Name: object.Name}] = object
	}
	return f
}

func (f family) Release(namespace, name string) (*lineage.Object, bool) {
	object, ok := f[types.NamespacedName{Namespace: namespace, Name: name}]
	return object, ok
}

func (f family) Children(namespace, name string) []*lineage.Object {
	var found []*lineage.Object
	for _, object := range f {
		if parent, ok := lineage.FluxRelease(object); ok && parent == (types.NamespacedName{Namespace: namespace, Name: name}) {
			found = append(found, object)
		}
	}
	return found
}

func (f family) Parents() []types.NamespacedName {
	seen := map[string]types.NamespacedName{}
	for _, object := range f {
		if parent, ok := lineage.FluxRelease(object); ok {
			seen[parent.String()] = parent
		}
	}
	var names []types.NamespacedName
	for _, key := range slices.Sorted(maps.Keys(seen)) {
		names = append(names, seen[key])
	}
	return names
}
