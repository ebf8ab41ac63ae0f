package store

import (
	"context"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
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
	synced     atomic.Pointer[cache.ResourceEventHandlerRegistration]
}

func (f *follow) hasSynced() bool {
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
		UpdateFunc: func(_, object any) { f.keep(object) },
		DeleteFunc: func(object any) { f.drop(last(object)) },
	})
	if err != nil {
		return err
	}
	f.synced.Store(&registration)
	return nil
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

// followNamespaces follows the labels of namespaces, and nothing else of them.
func (s *Store) followNamespaces() *follow {
	kind := &metav1.PartialObjectMetadata{}
	kind.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	return &follow{
		kind: kind,
		keep: changing(s, func(p *policy.Snapshot, namespace *metav1.PartialObjectMetadata) *policy.Snapshot {
			mode, governed := s.scope.ModeOf(namespace.Name, namespace.Labels)
			if before, was := p.Mode(namespace.Name); was == governed && before == mode {
				return p
			}
			if !governed {
				return p.WithoutNamespace(namespace.Name)
			}
			return p.WithNamespace(namespace.Name, mode)
		}),
		drop: changing(s, func(p *policy.Snapshot, namespace *metav1.PartialObjectMetadata) *policy.Snapshot {
			return p.WithoutNamespace(namespace.Name)
		}),
	}
}

// changing makes an event handler of a change that an object brings.
func changing[T any](s *Store, next func(*policy.Snapshot, T) *policy.Snapshot) func(any) {
	return func(object any) {
		if typed, ok := object.(T); ok {
			s.change(func(p *policy.Snapshot) *policy.Snapshot { return next(p, typed) })
		}
	}
}
