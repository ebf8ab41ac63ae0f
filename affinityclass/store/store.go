package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
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
	log       logr.Logger
	retry     time.Duration

	writing  sync.Mutex // events come one at a time, but Start may be called again
	snapshot atomic.Pointer[policy.Snapshot]
	changed  atomic.Int64 // Unix nanoseconds of the last change
	synced   atomic.Pointer[cache.ResourceEventHandlerRegistration]
	classes  *flight.Group[string, *v1alpha1.AffinityClass]
}

// New makes a Store that follows classes through informers and reads them live
// through reader, which must not be cached.
func New(informers ctrlcache.Informers, reader client.Reader, log logr.Logger) *Store {
	s := &Store{
		informers: informers, reader: reader, log: log, retry: 2 * time.Second,
		classes: flight.New[string, *v1alpha1.AffinityClass](flight.Options{Pace: 20 * time.Millisecond}),
	}
	s.snapshot.Store(policy.New())
	return s
}

// NeedLeaderElection says that every replica keeps its own policy.
func (s *Store) NeedLeaderElection() bool { return false }

// Start follows classes until ctx ends. Where their CRD is not installed yet it
// says so and tries again: the server is to come up by itself when it is.
func (s *Store) Start(ctx context.Context) error {
	for {
		err := s.follow(ctx)
		if err == nil || ctx.Err() != nil {
			break
		}
		s.log.Info("waiting for AffinityClasses to be served", "error", err.Error())
		select {
		case <-ctx.Done():
		case <-time.After(s.retry):
		}
	}
	<-ctx.Done()
	return nil
}

func (s *Store) follow(ctx context.Context) error {
	informer, err := s.informers.GetInformer(ctx, &v1alpha1.AffinityClass{}, ctrlcache.BlockUntilSynced(false))
	if err != nil {
		return err
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    s.keep,
		UpdateFunc: func(_, object any) { s.keep(object) },
		DeleteFunc: s.drop,
	})
	if err != nil {
		return err
	}
	s.synced.Store(&registration)
	return nil
}

// HasSynced says whether the snapshot was filled completely once.
func (s *Store) HasSynced() bool {
	registration := s.synced.Load()
	return registration != nil && (*registration).HasSynced()
}

// Snapshot is the policy as the watch last told it.
func (s *Store) Snapshot() *policy.Snapshot { return s.snapshot.Load() }

// Changed is when the policy last changed; zero before the first class.
func (s *Store) Changed() time.Time {
	if at := s.changed.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}

// Live is a policy of the named classes alone, read after the call began; reviews
// that ask at once share reads. Its error is the API server's: a class that is
// absent is no error but absent from the snapshot.
func (s *Store) Live(ctx context.Context, names []string) (*policy.Snapshot, error) {
	since := flight.Now()
	var found []*v1alpha1.AffinityClass
	for _, name := range names {
		class, err := s.classes.Do(ctx, name, since, func(ctx context.Context) (*v1alpha1.AffinityClass, error) {
			return s.read(ctx, name)
		})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, err
		default:
			found = append(found, class)
		}
	}
	return policy.New(found...), nil
}

func (s *Store) read(ctx context.Context, name string) (*v1alpha1.AffinityClass, error) {
	class := &v1alpha1.AffinityClass{}
	if err := s.reader.Get(ctx, client.ObjectKey{Name: name}, class); err != nil {
		return nil, fmt.Errorf("read AffinityClass %s: %w", name, err)
	}
	return class, nil
}

func (s *Store) keep(object any) {
	class, ok := object.(*v1alpha1.AffinityClass)
	if !ok {
		return
	}
	s.change(func(snapshot *policy.Snapshot) *policy.Snapshot { return snapshot.With(class) })
}

// drop is also told of a deletion that the watch missed, by the last state known.
func (s *Store) drop(object any) {
	if missed, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = missed.Obj
	}
	class, ok := object.(*v1alpha1.AffinityClass)
	if !ok {
		return
	}
	s.change(func(snapshot *policy.Snapshot) *policy.Snapshot { return snapshot.Without(class.Name) })
}

func (s *Store) change(next func(*policy.Snapshot) *policy.Snapshot) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.snapshot.Store(next(s.Snapshot()))
	s.changed.Store(time.Now().UnixNano())
}
