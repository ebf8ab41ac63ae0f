package store

import (
	"context"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// follow is one kind that makes up the policy. Its functions ignore objects of
// another type.
type follow struct {
	kind       client.Object
	keep, drop func(object any)
	// turned says that an update makes of an object one that no longer counts.
	turned func(before, after any) bool
	// optional says that a cluster which does not serve the kind has none of it.
	optional bool
	absent   atomic.Bool
	synced   atomic.Pointer[cache.ResourceEventHandlerRegistration]
}

func (f *follow) hasSynced() bool {
	if f.absent.Load() {
		return true
	}
	registration := f.synced.Load()
	return registration != nil && (*registration).HasSynced()
}

// keepFollowing begins the watch. Where the kind is not served yet it says so
// and tries again: the server is to come up by itself when it is.
func (s *Store) keepFollowing(ctx context.Context, f *follow) {
	for ctx.Err() == nil {
		err := s.begin(ctx, f)
		if err == nil {
			return
		}
		f.absent.Store(f.optional && meta.IsNoMatchError(err))
		s.log.Info("waiting for a kind to be served", "error", err.Error())
		select {
		case <-ctx.Done():
		case <-time.After(s.retry):
		}
	}
}

func (s *Store) begin(ctx context.Context, f *follow) error {
	informer, err := s.informers.GetInformer(ctx, f.kind, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    f.keep,
		UpdateFunc: f.updated,
		DeleteFunc: func(object any) { f.drop(last(object)) },
	})
	if err != nil {
		return err
	}
	f.synced.Store(&registration)
	f.absent.Store(false)
	return nil
}

func (f *follow) updated(before, object any) {
	if f.turned != nil && f.turned(before, object) {
		f.drop(before)
		return
	}
	f.keep(object)
}

// last is the last state known of an object whose deletion the watch missed.
func last(object any) any {
	if missed, ok := object.(cache.DeletedFinalStateUnknown); ok {
		return missed.Obj
	}
	return object
}

func (s *Store) followClasses() *follow {
	return &follow{
		kind: &v1alpha1.AffinityClass{},
		keep: changing(s, (*policy.Snapshot).With),
		drop: changing(s, func(p *policy.Snapshot, class *v1alpha1.AffinityClass) *policy.Snapshot { return p.Without(class.Name) }),
	}
}

func (s *Store) followExemptions() *follow {
	return &follow{
		kind: &v1alpha1.AffinityExemption{},
		keep: changing(s, (*policy.Snapshot).WithExemption),
		drop: changing(s, func(p *policy.Snapshot, exemption *v1alpha1.AffinityExemption) *policy.Snapshot {
			return p.WithoutExemption(exemption.Name)
		}),
	}
}

// followTenants follows the source of Tenants. Where releases are the source, one that
// stops being a Tenant's is dropped.
func (s *Store) followTenants() *follow {
	keep := func(object any) {
		tenant, ok := s.source.Read(object)
		if !ok {
			return
		}
		s.tell(tenant, false)
		s.change(func(p *policy.Snapshot) *policy.Snapshot { return p.WithTenant(tenant) })
	}
	drop := func(object any) {
		tenant, ok := s.source.Read(object)
		if !ok {
			return
		}
		s.tell(tenant, true)
		s.change(func(p *policy.Snapshot) *policy.Snapshot { return p.WithoutTenant(tenant.Namespace, tenant.Name) })
	}
	return &follow{kind: s.source.object(), optional: s.source == FromReleases, keep: keep, drop: drop,
		turned: func(before, after any) bool {
			_, was := s.source.Read(before)
			_, is := s.source.Read(after)
			return was && !is
		}}
}

// followNamespaces follows the labels of namespaces, and nothing else of them.
func (s *Store) followNamespaces() *follow {
	kind := &metav1.PartialObjectMetadata{}
	kind.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return &follow{
		kind: kind,
		keep: changing(s, func(p *policy.Snapshot, namespace *metav1.PartialObjectMetadata) *policy.Snapshot {
			return s.withNamespace(p, namespace)
		}),
		drop: changing(s, func(p *policy.Snapshot, namespace *metav1.PartialObjectMetadata) *policy.Snapshot {
			return p.WithoutNamespace(namespace.Name)
		}),
	}
}

func (s *Store) withNamespace(p *policy.Snapshot, namespace *metav1.PartialObjectMetadata) *policy.Snapshot {
	read, governed := s.scope.Read(namespace.Name, namespace.Labels)
	if before, was := p.Namespace(namespace.Name); was == governed && before == read {
		return p
	}
	if !governed {
		return p.WithoutNamespace(namespace.Name)
	}
	return p.WithNamespace(namespace.Name, read)
}

// changing makes an event handler of a change that an object brings.
func changing[T any](s *Store, next func(*policy.Snapshot, T) *policy.Snapshot) func(any) {
	return func(object any) {
		if typed, ok := object.(T); ok {
			s.change(func(p *policy.Snapshot) *policy.Snapshot { return next(p, typed) })
		}
	}
}
