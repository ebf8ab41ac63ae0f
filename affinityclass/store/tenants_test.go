package store

import (
	"context"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

func tenant(namespace, name string, allowed ...string) *tenantv1.Tenant {
	t := &tenantv1.Tenant{}
	t.Namespace, t.Name, t.Spec.AllowedAffinityClasses = namespace, name, allowed
	return t
}

func TestTheSnapshotFollowsTenants(t *testing.T) {
	s := New(nil, nil, policy.Scope{}, FromTenants, logr.Discard())
	told := map[string]bool{}
	s.Tell(func(tenant policy.Tenant, gone bool) { told[tenant.Name] = gone })
	follow := s.follows[2]
	follow.keep(tenant("tenant-root", "acme", "dc1"))
	if got := s.Snapshot().Tenancy("tenant-acme"); !got.Restricted || !got.Allows("dc1") || got.Allows("dc2") {
		t.Errorf("got %+v", got)
	}
	follow.drop(tenant("tenant-root", "acme", "dc1"))
	if got := s.Snapshot().Tenancy("tenant-acme"); got.Tenant || !told["acme"] {
		t.Errorf("a Tenant that is gone still counts: %+v, told %v", got, told)
	}
}

func TestANamespaceThatNothingIsKnownOfIsReadFirst(t *testing.T) {
	r := &reader{tenants: map[client.ObjectKey]*tenantv1.Tenant{{Namespace: "tenant-root", Name: "acme"}: tenant("tenant-root", "acme", "dc1")}}
	s := New(nil, r, policy.Scope{}, FromTenants, logr.Discard())
	got, err := s.Current(context.Background(), "tenant-acme")
	if err != nil {
		t.Fatal(err)
	}
	if tenancy := got.Tenancy("tenant-acme"); !tenancy.Restricted || tenancy.Missing {
		t.Errorf("a new tenant's namespace is open: %+v", tenancy)
	}
	s.follows[3].keep(labelledNamespace("tenant-acme"))
	before := r.reads.Load()
	if _, err := s.Current(context.Background(), "tenant-acme"); err != nil || r.reads.Load() != before {
		t.Errorf("a namespace that is known was read again: %v", err)
	}
}

func TestLiveReadsThePathAndWhatItAllows(t *testing.T) {
	r := &reader{
		classes: map[string]*v1alpha1.AffinityClass{"dc1": class("dc1", "dc1"), "dc2": class("dc2", "dc2"), "dc3": class("dc3", "dc3")},
		tenants: map[client.ObjectKey]*tenantv1.Tenant{
			{Namespace: "tenant-root", Name: "acme"}: tenant("tenant-root", "acme", "dc1", "dc2"),
			{Namespace: "tenant-acme", Name: "web"}:  tenant("tenant-acme", "web", "dc2", "dc9"),
		},
	}
	got, err := New(nil, r, policy.Scope{}, FromTenants, logr.Discard()).Live(context.Background(), "tenant-acme-web", []string{"dc3"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"dc2", "dc3"}, got.Names()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dc2"}, got.Tenancy("tenant-acme-web").Allowed); diff != "" {
		t.Error(diff)
	}
}

func TestATenantIsReadFromItsRelease(t *testing.T) {
	release := func(name, kind string, values any) *unstructured.Unstructured {
		u := releaseKind()
		u.SetNamespace("tenant-root")
		u.SetName(name)
		u.SetLabels(map[string]string{"apps.cozystack.io/application.kind": kind, "apps.cozystack.io/application.name": "acme"})
		u.Object["spec"] = map[string]any{"values": values}
		return u
	}
	for _, tt := range []struct {
		name    string
		release *unstructured.Unstructured
		want    *policy.Tenant
	}{
		{"both fields", release("tenant-acme", "Tenant", map[string]any{"allowedAffinityClasses": []any{"dc1"}, "defaultAffinityClass": "dc1"}),
			&policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{"dc1"}, Default: "dc1"}},
		{"no values restrict nothing", release("tenant-acme", "Tenant", nil), &policy.Tenant{Namespace: "tenant-root", Name: "acme"}},
		{"an empty list allows nothing", release("tenant-acme", "Tenant", map[string]any{"allowedAffinityClasses": []any{}}),
			&policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{}}},
		{"a list that cannot be read allows nothing", release("tenant-acme", "Tenant", map[string]any{"allowedAffinityClasses": []any{"dc1", 7.0}}),
			&policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{}}},
		{"a list that is none allows nothing", release("tenant-acme", "Tenant", map[string]any{"allowedAffinityClasses": "dc1"}),
			&policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{}}},
		{"values that are no object allow nothing", release("tenant-acme", "Tenant", "dc1"),
			&policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{}}},
		{"another application is no Tenant", release("tenant-acme", "Bucket", nil), nil},
		{"nor is a release of another name", release("mine", "Tenant", nil), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := FromReleases.Read(tt.release)
			if ok != (tt.want != nil) {
				t.Fatalf("got %+v", got)
			}
			if ok {
				if diff := cmp.Diff(*tt.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestAReleaseThatStopsBeingATenantsIsDropped(t *testing.T) {
	s := New(nil, nil, policy.Scope{}, FromReleases, logr.Discard())
	before := releaseKind()
	before.SetNamespace("tenant-root")
	before.SetName("tenant-acme")
	before.SetLabels(map[string]string{"apps.cozystack.io/application.kind": "Tenant", "apps.cozystack.io/application.name": "acme"})
	after := before.DeepCopy()
	after.SetLabels(nil)
	follow := s.follows[2]
	follow.keep(before)
	follow.updated(before, after)
	if _, ok := s.Snapshot().TenantOf("tenant-acme"); ok {
		t.Error("it still counts")
	}
}
