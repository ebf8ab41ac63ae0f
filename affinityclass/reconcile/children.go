package reconcile

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// Releases are those of the cluster, as a watch last told them. Children and
// Parents go by Flux labels alone.
type Releases interface {
	Release(namespace, name string) (*lineage.Object, bool)
	Children(namespace, name string) []*lineage.Object
	Parents() []types.NamespacedName
}

// Children finds the releases whose parts may have to follow. It is told of every
// change of a release on every replica, and passes it on only where a replica is
// elected. It is safe for concurrent use.
type Children struct {
	releases Releases

	mu    sync.Mutex
	queue queue // of parents; nil while this replica is not elected
}

type queue = workqueue.TypedRateLimitingInterface[ctrlreconcile.Request]

// NewChildren makes one that looks releases up where it is told.
func NewChildren(releases Releases) *Children { return &Children{releases: releases} }

// Changed tells of a release before and after a change, nil for nothing. It neither
// blocks nor looks releases up.
func (c *Children) Changed(before, after *lineage.Object) {
	if after == nil {
		return // what is gone has no class to hand on, and needs none
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue == nil {
		return
	}
	moved := before == nil || before.Labels[policy.ClassLabel] != after.Labels[policy.ClassLabel]
	if moved {
		c.queue.Add(request(types.NamespacedName{Namespace: after.Namespace, Name: after.Name}))
	}
	// A part may have been admitted while its parent changed: then it is told of only
	// after the parent.
	parent, part := lineage.FluxRelease(after)
	if was, _ := lineage.FluxRelease(before); part && (moved || parent != was) {
		c.queue.Add(request(parent))
	}
}

// feed is the source of the controller: every parent first, then those that
// changed, until ctx ends.
func (c *Children) feed(ctx context.Context, q queue) error {
	c.mu.Lock()
	c.queue = q
	c.mu.Unlock()
	context.AfterFunc(ctx, func() { c.leave(q) })
	for _, parent := range c.releases.Parents() {
		q.Add(request(parent))
	}
	return nil
}

// leave ends the passing on to a queue, unless another one has taken its place.
func (c *Children) leave(q queue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue == q {
		c.queue = nil
	}
}

func request(name types.NamespacedName) ctrlreconcile.Request {
	return ctrlreconcile.Request{NamespacedName: name}
}

// strays are the parts of the release that do not have its class, and are to.
func strays(parent *lineage.Object, children []*lineage.Object) []*lineage.Object {
	if parent.Release.Terminating {
		return nil
	}
	var found []*lineage.Object
	for _, child := range children {
		if follows(child, parent) && strayed(child, parent) {
			found = append(found, child)
		}
	}
	return found
}

// follows says whether the child is a part of the parent whose class is derived
// from it: the label of a release that deploys elsewhere is no evidence.
func follows(child, parent *lineage.Object) bool {
	return parent.DeploysInto(child.Namespace) && !lineage.IsApplication(child) &&
		!child.Release.Remote && !child.Release.Terminating
}

// strayed compares the classes. Where the parent has none the child may have one of
// its own, but not the one that it had from the parent.
func strayed(child, parent *lineage.Object) bool {
	has, wanted := child.Labels[policy.ClassLabel], parent.Labels[policy.ClassLabel]
	if wanted == "" {
		return has != "" && child.Annotations[policy.SourceAnnotation] == string(policy.Parent)
	}
	return has != wanted
}
