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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
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
	tenants map[client.ObjectKey]*tenantv1.Tenant
	err     error

	reads, classReads atomic.Int32
}

func (r *reader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	r.reads.Add(1)
	time.Sleep(time.Millisecond)
	if r.err != nil {
		return r.err
	}
	switch into := into.(type) {
	case *metav1.PartialObjectMetadata:
		into.Name, into.Labels = key.Name, map[string]string{policy.EnforceLabel: "deny"}
		return nil
	case *tenantv1.Tenant:
		tenant, ok := r.tenants[key]
		if !ok {
			return apierrors.NewNotFound(schema.GroupResource{Resource: "tenants"}, key.Name)
		}
		tenant.DeepCopyInto(into)
		return nil
	}
	r.classReads.Add(1)
	found, ok := r.classes[key.Name]
	if !ok {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "affinityclasses"}, key.Name)
	}
	found.DeepCopyInto(into.(*v1alpha1.AffinityClass))
	return nil
}

// List answers with no exemptions, and counts.
func (r *reader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	r.reads.Add(1)
	return r.err
}

func labelledNamespace(name string) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{policy.EnforceLabel: "deny"}}}
}

func TestTheSnapshotFollowsNamespaces(t *testing.T) {
	s := New(nil, nil, policy.Scope{PlatformKey: "tenant", PlatformMode: policy.Warn}, FromTenants, logr.Discard())
	namespaces := s.follows[3]
	labelled := func(labels map[string]string) *metav1.PartialObjectMetadata {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: labels}}
	}
	for _, tt := range []struct {
		name     string
		labels   map[string]string
		mode     policy.Mode
		governed bool
	}{
		{"opted in", map[string]string{policy.EnforceLabel: "deny"}, policy.Deny, true},
		{"softened", map[string]string{policy.EnforceLabel: "audit"}, policy.Audit, true},
		{"by the platform's label", map[string]string{"tenant": "acme"}, policy.Warn, true},
		{"a label of its own comes first", map[string]string{"tenant": "acme", policy.EnforceLabel: "deny"}, policy.Deny, true},
		{"an unknown mode is none", map[string]string{policy.EnforceLabel: "Deny"}, "", false},
		{"a namespace of the platform", map[string]string{policy.EnforceLabel: "deny", "cozystack.io/system": "true"}, "", false},
	} {
		namespaces.keep(labelled(tt.labels))
		if got, governed := s.Snapshot().Namespace("shop"); got.Mode != tt.mode || governed != tt.governed {
			t.Errorf("%s: got %v %v", tt.name, got, governed)
		}
	}
	namespaces.keep(labelled(map[string]string{policy.EnforceLabel: "deny"}))
	namespaces.drop(labelled(nil))
	if _, governed := s.Snapshot().Namespace("shop"); governed {
		t.Error("a namespace that is gone is governed")
	}
}

func TestTheSnapshotFollowsEvents(t *testing.T) {
	s := New(nil, nil, policy.Scope{}, FromTenants, logr.Discard())
	classes := s.follows[0]
	classes.keep(class("dc1", "dc1"))
	classes.keep(class("dc2", "dc2"))
	classes.keep(class("dc2", "dc2"))
	before := s.Snapshot()
	classes.drop(last(cache.DeletedFinalStateUnknown{Key: "dc1", Obj: class("dc1", "dc1")}))
	classes.drop("not a class")
	classes.keep("not a class")
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
	s := New(nil, nil, policy.Scope{}, FromTenants, logr.Discard())
	var wait sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		wait.Go(func() { s.follows[0].keep(class(name, name)) })
	}
	wait.Wait()
	if got := s.Snapshot().Names(); len(got) != 8 {
		t.Errorf("got %v", got)
	}
}

func TestLiveReadsTheNamedClassesAlone(t *testing.T) {
	r := &reader{classes: map[string]*v1alpha1.AffinityClass{"new": class("new", "dc1")}}
	s := New(nil, r, policy.Scope{}, FromTenants, logr.Discard())
	s.follows[0].keep(class("gone", "dc9"))
	got, err := s.Live(context.Background(), "shop", []string{"new", "gone"})
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
	if _, err := New(nil, r, policy.Scope{}, FromTenants, logr.Discard()).Live(context.Background(), "shop", []string{"dc1"}); !apierrors.IsForbidden(err) {
		t.Errorf("got %v", err)
	}
}

func TestLiveReadsNoClassWhereNoneIsNamedOrAllowed(t *testing.T) {
	r := &reader{}
	got, err := New(nil, r, policy.Scope{}, FromTenants, logr.Discard()).Live(context.Background(), "shop", nil)
	if err != nil || len(got.Names()) > 0 || r.classReads.Load() > 0 {
		t.Errorf("got %v, %v after %d reads of classes", got, err, r.classReads.Load())
	}
}

func TestAKindThatIsNotServedIsNotAnAbsentClass(t *testing.T) {
	r := &reader{err: apierrors.NewGenericServerResponse(404, "get", schema.GroupResource{Resource: "affinityclasses"}, "dc1", "404 page not found", 0, true)}
	if _, err := New(nil, r, policy.Scope{}, FromTenants, logr.Discard()).Live(context.Background(), "shop", []string{"dc1"}); err == nil {
		t.Error("the class was said not to exist, though nobody could know")
	}
}

func TestLiveReadsAreShared(t *testing.T) {
	r := &reader{classes: map[string]*v1alpha1.AffinityClass{"dc1": class("dc1", "dc1")}}
	s := New(nil, r, policy.Scope{}, FromTenants, logr.Discard())
	var wait sync.WaitGroup
	for range 500 {
		wait.Go(func() {
			if _, err := s.Live(context.Background(), "shop", []string{"dc1"}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := r.reads.Load(); n > 20 {
		t.Errorf("500 reviews at once made %d reads", n)
	}
}
