package store

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// Store is the current policy. Make one with New, and Start it.
type Store struct {
	informers ctrlcache.Informers
	reader    client.Reader // uncached
	scope     policy.Scope
	source    TenantSource
	log       logr.Logger
	retry     time.Duration

	writing  sync.Mutex // events of each kind come one at a time, those of several at once
	snapshot atomic.Pointer[policy.Snapshot]
	changed  atomic.Int64 // Unix nanoseconds of the last change
	follows  []*follow
	tell     func(tenant policy.Tenant, gone bool)

	classes    *flight.Group[string, *v1alpha1.AffinityClass]
	allClasses *flight.Group[struct{}, []v1alpha1.AffinityClass]
	tenants    *flight.Group[client.ObjectKey, client.Object]
	namespaces *flight.Group[string, *metav1.PartialObjectMetadata]
	exemptions *flight.Group[struct{}, []v1alpha1.AffinityExemption]
}

// New makes a Store that follows the policy through informers and reads it live
// through reader, which must not be cached. The scope says which namespaces are
// governed, and the source what Tenants are read from.
func New(informers ctrlcache.Informers, reader client.Reader, scope policy.Scope, source TenantSource, log logr.Logger) *Store {
	pace := flight.Options{Pace: 20 * time.Millisecond}
	s := &Store{
		informers: informers, reader: reader, scope: scope, source: source, log: log, retry: 2 * time.Second,
		classes:    flight.New[string, *v1alpha1.AffinityClass](pace),
		allClasses: flight.New[struct{}, []v1alpha1.AffinityClass](pace),
		tenants:    flight.New[client.ObjectKey, client.Object](pace),
		namespaces: flight.New[string, *metav1.PartialObjectMetadata](pace),
		exemptions: flight.New[struct{}, []v1alpha1.AffinityExemption](pace),
	}
	s.snapshot.Store(policy.New())
	s.tell = func(policy.Tenant, bool) {}
	s.follows = []*follow{s.followClasses(), s.followExemptions(), s.followTenants(), s.followNamespaces()}
	return s
}

// Tell makes the store tell of each Tenant that is kept, and of each that is gone. It
// is to be called before Start; told must not block.
func (s *Store) Tell(told func(tenant policy.Tenant, gone bool)) { s.tell = told }

// NeedLeaderElection says that every replica keeps its own policy.
func (s *Store) NeedLeaderElection() bool { return false }

// Start follows the policy until ctx ends.
func (s *Store) Start(ctx context.Context) error {
	var wait sync.WaitGroup
	for _, f := range s.follows {
		wait.Go(func() { s.keepFollowing(ctx, f) })
	}
	wait.Wait()
	return nil
}

// HasSynced says whether the snapshot was filled completely once.
func (s *Store) HasSynced() bool {
	for _, f := range s.follows {
		if !f.hasSynced() {
			return false
		}
	}
	return true
}

// Snapshot is the policy as the watches last told it.
func (s *Store) Snapshot() *policy.Snapshot { return s.snapshot.Load() }

// Changed is when the policy last changed; zero before the first time.
func (s *Store) Changed() time.Time {
	if at := s.changed.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

func (s *Store) change(next func(*policy.Snapshot) *policy.Snapshot) {
	s.writing.Lock()
	defer s.writing.Unlock()
	before := s.Snapshot()
	after := next(before)
	if after == before {
		return
	}
	s.snapshot.Store(after)
	s.changed.Store(time.Now().UnixNano())
}
