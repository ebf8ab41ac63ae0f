package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func class(name, zone string) *v1alpha1.AffinityClass {
	c := &v1alpha1.AffinityClass{}
	c.Name = name
	c.Spec.NodeSelector = map[string]string{"zone": zone}
	return c
}

// reader answers Get from a map, slowly, and counts.
type reader struct {
	client.Reader
	classes map[string]*v1alpha1.AffinityClass
	err     error
	reads   atomic.Int32
}

func (r *reader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	r.reads.Add(1)
	time.Sleep(time.Millisecond)
	if r.err != nil {
		return r.err
	}
	found, ok := r.classes[key.Name]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "affinityclasses"}, key.Name)
	}
	found.DeepCopyInto(into.(*v1alpha1.AffinityClass))
	return nil
}

func TestTheSnapshotFollowsEvents(t *testing.T) {
	s := New(nil, nil, logr.Discard())
	s.keep(class("dc1", "dc1"))
	s.keep(class("dc2", "dc2"))
	s.keep(class("dc2", "dc2"))
	before := s.Snapshot()
	s.drop(cache.DeletedFinalStateUnknown{Key: "dc1", Obj: class("dc1", "dc1")})
	s.drop("not a class")
	s.keep("not a class")
	if diff := cmp.Diff([]string{"dc2"}, s.Snapshot().Names()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dc1", "dc2"}, before.Names()); diff != "" {
		t.Errorf("a review's snapshot changed under it: %s", diff)
	}
	if s.Changed().IsZero() {
		t.Error("the snapshot has no age")
	}
}

func TestEventsFromManyGoroutinesAreAllKept(t *testing.T) {
	s := New(nil, nil, logr.Discard())
	var wait sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		wait.Go(func() { s.keep(class(name, name)) })
	}
	wait.Wait()
	if got := s.Snapshot().Names(); len(got) != 8 {
		t.Errorf("got %v", got)
	}
}

func TestLiveReadsTheNamedClassesAlone(t *testing.T) {
	r := &reader{classes: map[string]*v1alpha1.AffinityClass{"new": class("new", "dc1")}}
	s := New(nil, r, logr.Discard())
	s.keep(class("gone", "dc9"))
	got, err := s.Live(context.Background(), []string{"new", "gone"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := got.Class("new"); err != nil {
		t.Errorf("a class that the watch has not told of: %v", err)
	}
	if _, err := got.Class("gone"); !errors.Is(err, policy.ErrClassNotFound) {
		t.Errorf("a class deleted since: %v", err)
	}
}

func TestLiveNeverTurnsAnErrorIntoAbsence(t *testing.T) {
	r := &reader{err: apierrors.NewForbidden(schema.GroupResource{}, "dc1", nil)}
	if _, err := New(nil, r, logr.Discard()).Live(context.Background(), []string{"dc1"}); !apierrors.IsForbidden(err) {
		t.Errorf("got %v", err)
	}
}

func TestLiveReadsAreShared(t *testing.T) {
	r := &reader{classes: map[string]*v1alpha1.AffinityClass{"dc1": class("dc1", "dc1")}}
	s := New(nil, r, logr.Discard())
	var wait sync.WaitGroup
	for range 500 {
		wait.Go(func() {
			if _, err := s.Live(context.Background(), []string{"dc1"}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := r.reads.Load(); n > 10 {
		t.Errorf("500 reviews at once made %d reads", n)
	}
}
