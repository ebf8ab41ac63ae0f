package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/flight"
)

const missesKept = 1024

var errTooManyKinds = errors.New("the namespace asked for too many kinds that the API server did not serve")

// resource is where a kind is read.
type resource struct {
	schema.GroupVersionResource
	namespaced bool
}

// table is what the API server serves, asked at one moment. It does not change.
type table struct {
	resources map[schema.GroupKind]resource
	failed    map[string]error // groups that could not be told, by name
	complete  bool             // told by an API server that had come up
}

// kinds knows where kinds are read. An unknown one costs one discovery, which
// all who wait for any unknown kind share.
type kinds struct {
	client    discovery.DiscoveryInterfaceWithContext
	reader    *Reader
	known     atomic.Pointer[table]
	misses    *lru.Cache[schema.GroupKind, time.Time]
	missAge   time.Duration
	asks      *flight.Group[kindAsked, resource]
	refreshes *flight.Group[struct{}, *table]
	absences  *flight.Group[struct{}, bool]
}

// kindAsked is a kind and the namespace that asks: it pays for the refresh.
type kindAsked struct {
	asker string
	schema.GroupKind
}

func newKinds(client *discovery.DiscoveryClient, reader *Reader, options Options) *kinds {
	misses, err := lru.New[schema.GroupKind, time.Time](missesKept)
	if err != nil {
		panic(err) // the size is positive: cannot happen
	}
	k := &kinds{
		client: client, reader: reader, misses: misses, missAge: cmp.Or(options.MissAge, 30*time.Second),
		asks: flight.New[kindAsked, resource](flight.Options{Timeout: options.Timeout}),
		refreshes: flight.New[struct{}, *table](flight.Options{
			Timeout: options.Timeout, Pace: cmp.Or(options.RefreshPace, time.Second),
		}),
		absences: flight.New[struct{}, bool](flight.Options{Timeout: options.Timeout, Pace: readyPace}),
	}
	k.known.Store(&table{})
	return k
}

// find gives the resource of a kind. The error is ErrNoKind only if the API
// server, asked after the miss (or within MissAge), was ready and served no such
// kind.
func (k *kinds) find(ctx context.Context, asker string, kind schema.GroupKind) (resource, error) {
	if found, ok := k.known.Load().resources[kind]; ok {
		return found, nil
	}
	if at, ok := k.misses.Get(kind); ok && time.Since(at) < k.missAge {
		if err := k.missing(ctx, kind); err != nil {
			return resource{}, err
		}
	}
	return k.afresh(ctx, asker, kind)
}

// afresh asks the API server, within the namespace's share of such questions.
func (k *kinds) afresh(ctx context.Context, asker string, kind schema.GroupKind) (resource, error) {
	key := kindAsked{asker: asker, GroupKind: kind}
	return k.asks.Do(ctx, key, flight.Ticket{}, func(ctx context.Context) (resource, error) {
		// The first discovery of all is not the namespace's doing.
		if len(k.known.Load().resources) > 0 && !k.reader.shares.of(asker).refreshes.Allow() {
			return resource{}, errTooManyKinds
		}
		known, err := k.refresh(ctx)
		if err == nil && known.resources[kind] == (resource{}) && !known.complete {
			known, err = k.refresh(ctx)
		}
		if err != nil {
			return resource{}, fmt.Errorf("discover kinds: %w", err)
		}
		return k.lookUp(known, kind)
	})
}

func (k *kinds) refresh(ctx context.Context) (*table, error) {
	return k.refreshes.Do(ctx, struct{}{}, flight.Now(), k.discover)
}

func (k *kinds) lookUp(known *table, kind schema.GroupKind) (resource, error) {
	if found, ok := known.resources[kind]; ok {
		return found, nil
	}
	if err := known.failed[kind.Group]; err != nil {
		return resource{}, fmt.Errorf("discover the kinds of group %q: %w", kind.Group, err)
	}
	k.misses.Add(kind, time.Now())
	return resource{}, lineage.ErrNoKind
}

// discover asks for everything, once, without the client's own retries. The very
// first time it takes what it is given: most of that is needed and will do.
func (k *kinds) discover(ctx context.Context) (*table, error) {
	again := len(k.known.Load().resources) > 0
	if again {
		if err := k.reader.Ready(ctx); err != nil {
			return nil, err
		}
	}
	groups, lists, err := discovery.ServerGroupsAndResourcesWithContext(ctx, k.client)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	k.reader.observer.LiveRead(Discovery, result(err))
	if err != nil && !partial {
		return nil, err
	}
	fresh := newTable(groups, lists)
	fresh.complete = again
	fresh.adopt(k.known.Load(), failed)
	k.known.Store(fresh)
	return fresh, nil
}

// newTable takes each kind in its group's preferred version, else in the first
// version listed.
func newTable(groups []*metav1.APIGroup, lists []*metav1.APIResourceList) *table {
	byVersion := map[string]*metav1.APIResourceList{}
	for _, list := range lists {
		byVersion[list.GroupVersion] = list
	}
	t := &table{resources: map[schema.GroupKind]resource{}}
	for _, group := range groups {
		t.add(group.PreferredVersion, byVersion)
		for _, version := range group.Versions {
			t.add(version, byVersion)
		}
	}
	return t
}

func (t *table) add(version metav1.GroupVersionForDiscovery, byVersion map[string]*metav1.APIResourceList) {
	list := byVersion[version.GroupVersion]
	gv, err := schema.ParseGroupVersion(version.GroupVersion)
	if list == nil || err != nil {
		return
	}
	for _, each := range list.APIResources {
		kind := schema.GroupKind{Group: gv.Group, Kind: each.Kind}
		_, taken := t.resources[kind]
		if taken || strings.Contains(each.Name, "/") || !isReadable(each.Verbs) {
			continue // another version came first, a subresource, or nothing to get
		}
		t.resources[kind] = resource{GroupVersionResource: gv.WithResource(each.Name), namespaced: each.Namespaced}
	}
}

func isReadable(verbs metav1.Verbs) bool {
	for _, verb := range verbs {
		if verb == "get" {
			return true
		}
	}
	return false
}

// adopt keeps, for groups that could not be told this time, what was known.
func (t *table) adopt(before *table, failed map[schema.GroupVersion]error) {
	t.failed = map[string]error{}
	for version, err := range failed {
		t.failed[version.Group] = err
	}
	for kind, found := range before.resources {
		_, told := t.resources[kind]
		if !told && t.failed[kind.Group] != nil {
			t.resources[kind] = found
		}
	}
}
