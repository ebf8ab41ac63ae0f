package cluster

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/lineage"
)

// ReleaseCache holds all HelmReleases of the cluster, kept by a watch. It
// implements Releases; looking one up costs no copy.
//
// It comes up in a cluster that does not serve HelmReleases yet, and fills
// itself when it does.
type ReleaseCache struct {
	informers Informers
	told      func(before, after *lineage.Object)

	mu       sync.RWMutex
	byName   map[types.NamespacedName]*lineage.Object
	children children
	synced   func() bool // of the watch in force; nil before there is one
	absent   bool        // the API server serves no HelmReleases
	ready    bool        // HasSynced was true once
}

// Informers is the part of a controller-runtime cache that is needed. The cache
// should have TrimRelease as its DefaultTransform. (Options for the one kind, by
// object, would need the API server to serve it when the cache is made.)
type Informers interface {
	GetInformer(ctx context.Context, object client.Object, options ...cache.InformerGetOption) (cache.Informer, error)
}

// WatchReleases makes the cache; Start runs it.
func WatchReleases(informers Informers) *ReleaseCache {
	return &ReleaseCache{
		informers: informers, told: func(_, _ *lineage.Object) {},
		byName: map[types.NamespacedName]*lineage.Object{}, children: children{},
	}
}

// Tell makes the cache tell of each change: what it held before and what after,
// nil for nothing. It is to be called before Start; told must not block, ask the
// cache, nor change what it is given.
func (c *ReleaseCache) Tell(told func(before, after *lineage.Object)) { c.told = told }

// ReleaseKind is the object that stands for the kind where a client wants one.
func ReleaseKind() *unstructured.Unstructured {
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(lineage.HelmRelease.WithVersion("v2"))
	return kind
}

// NeedLeaderElection is false: every replica answers reviews.
func (c *ReleaseCache) NeedLeaderElection() bool { return false }

// HasSynced reports whether the cache holds all releases that there were when
// the watch began. It is true, too, while the API server serves no
// HelmReleases: there is nothing to hold, and a server that waited for Flux to
// be installed could keep Flux's own Pods from starting. For the same reason it
// stays true: releases that a new watch does not hold yet are read live.
func (c *ReleaseCache) HasSynced() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = c.ready || c.absent || c.synced != nil && c.synced()
	return c.ready
}

// Release gives a release by name.
func (c *ReleaseCache) Release(namespace, name string) (*lineage.Object, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	release, ok := c.byName[types.NamespacedName{Namespace: namespace, Name: name}]
	return release, ok
}

// Start keeps a watch until ctx ends, and begins another when one has stopped.
func (c *ReleaseCache) Start(ctx context.Context) error {
	const look = 2 * time.Second
	backoff := wait.Backoff{Duration: time.Second, Factor: 2, Jitter: 0.1, Steps: 5, Cap: 15 * time.Second}
	pause := backoff
	for ctx.Err() == nil {
		informer, err := c.watch(ctx)
		if err != nil {
			sleep(ctx, pause.Step())
			continue
		}
		pause = backoff
		for ctx.Err() == nil && !informer.IsStopped() {
			sleep(ctx, look)
		}
	}
	return nil
}

func sleep(ctx context.Context, long time.Duration) {
	select {
	case <-time.After(long):
	case <-ctx.Done():
	}
}

// watch puts a new watch in force. Until it is filled, what an earlier one left
// is forgotten: a release that is not in the cache is read live.
func (c *ReleaseCache) watch(ctx context.Context) (cache.Informer, error) {
	informer, err := c.informers.GetInformer(ctx, ReleaseKind(), cache.BlockUntilSynced(false))
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.absent = meta.IsNoMatchError(err)
		return nil, err
	}
	c.mu.Lock()
	for _, forgotten := range c.byName {
		c.told(forgotten, nil)
	}
	c.byName, c.children = map[types.NamespacedName]*lineage.Object{}, children{}
	c.synced, c.absent = nil, false
	c.mu.Unlock()
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    c.set,
		UpdateFunc: func(_, object any) { c.set(object) },
		DeleteFunc: c.remove,
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.synced = registration.HasSynced
	return informer, nil
}

func (c *ReleaseCache) set(object any) {
	release, ok := object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	described := ReleaseObject(release)
	c.mu.Lock()
	defer c.mu.Unlock()
	name := nameOf(described)
	c.told(c.byName[name], described)
	c.children.move(c.byName[name], described)
	c.byName[name] = described
}

func (c *ReleaseCache) remove(object any) {
	if last, ok := object.(toolscache.DeletedFinalStateUnknown); ok {
		object = last.Obj
	}
	release, ok := object.(*unstructured.Unstructured)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	name := types.NamespacedName{Namespace: release.GetNamespace(), Name: release.GetName()}
	if held, ok := c.byName[name]; ok {
		c.told(held, nil)
		c.children.move(held, nil)
		delete(c.byName, name)
	}
}
