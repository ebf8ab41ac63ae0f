package binaryaffinity

import (
	"iter"
	"slices"
	"strings"
)

// Index keeps the placed Pods that bear tags, by namespace and node and by tag.
// A change costs what the Pod has of tags, however many Pods are kept; a Pod that
// bears none costs no memory. The one who keeps it guards it: an Index may be
// read by many or changed by one.
//
// It knows no nodes. A node that is deleted is a candidate no longer, so nobody
// asks who is on it; when it comes back under its name before its Pods are gone,
// they are still there.
type Index struct {
	pods  map[podKey]*kept
	rooms map[roomKey]*room
}

type podKey struct{ namespace, name string }

// NewIndex makes an empty Index.
func NewIndex() *Index {
	return &Index{pods: map[podKey]*kept{}, rooms: map[roomKey]*room{}}
}

// Set records a Pod, new or changed. One that is finished, not placed or without
// tags is as good as removed, and a name used again replaces who had it.
func (x *Index) Set(p Placed) {
	x.Remove(p.Namespace, p.Name, "")
	if p.gone() || len(p.Tags) == 0 {
		return
	}
	k := &kept{Placed: p, seats: make([]seat, 0, 1+len(p.Tags))}
	k.Tags = slices.Clone(p.Tags)
	x.pods[podKey{p.Namespace, p.Name}] = k
	x.enter(k, roomKey{ofNode, p.Namespace, p.Node})
	for _, tag := range k.Tags {
		x.enter(k, roomKey{ofTag, p.Namespace, tag})
	}
}

// Remove forgets a Pod. With a UID it leaves another Pod of the same name alone,
// so that a deletion told late does not take the successor away.
func (x *Index) Remove(namespace, name, uid string) {
	key := podKey{namespace, name}
	k := x.pods[key]
	if k == nil || uid != "" && k.UID != uid {
		return
	}
	delete(x.pods, key)
	for _, s := range k.seats {
		x.leave(s)
	}
}

// Len is how many Pods are kept.
func (x *Index) Len() int { return len(x.pods) }

// On are the Pods of a namespace on a node, in no order.
func (x *Index) On(namespace, node string) iter.Seq[*Placed] {
	return x.rooms[roomKey{ofNode, namespace, node}].each
}

// Borne says whether any placed Pod of the namespace bears a tag.
func (x *Index) Borne(namespace, tag string) bool {
	return x.rooms[roomKey{ofTag, namespace, tag}] != nil
}

// Bearers are the Pods of a namespace that bear a tag, by name.
func (x *Index) Bearers(namespace, tag string) []*Placed {
	return slices.SortedFunc(x.rooms[roomKey{ofTag, namespace, tag}].each, func(a, b *Placed) int {
		return strings.Compare(a.Name, b.Name)
	})
}
