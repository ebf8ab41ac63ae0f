package policy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
)

func tenants(list ...policy.Tenant) *policy.Snapshot {
	s := policy.New(class("dc1", "dc1"), class("dc2", "dc2"), class("dc3", "dc3"))
	for _, t := range list {
		s = s.WithTenant(t)
	}
	return s
}

func tenant(namespace, name, byDefault string, allowed ...string) policy.Tenant {
	return policy.Tenant{Namespace: namespace, Name: name, Allowed: allowed, Default: byDefault}
}

func TestTheEffectiveListIsTheIntersectionAlongThePath(t *testing.T) {
	open := func(namespace, name, byDefault string) policy.Tenant {
		return policy.Tenant{Namespace: namespace, Name: name, Default: byDefault}
	}
	for _, tt := range []struct {
		name      string
		tenants   []policy.Tenant
		namespace string
		want      policy.Tenancy
	}{
		{"no tenant's namespace is restricted by none", nil, "shop", policy.Tenancy{}},
		{"without a list nothing is restricted", []policy.Tenant{open("tenant-root", "acme", "dc1")}, "tenant-acme",
			policy.Tenancy{Tenant: true, Default: "dc1"}},
		{"a list restricts", []policy.Tenant{tenant("tenant-root", "acme", "", "dc2", "dc1")}, "tenant-acme",
			policy.Tenancy{Tenant: true, Restricted: true, Allowed: []string{"dc1", "dc2"}}},
		{"an empty list allows none", []policy.Tenant{{Namespace: "tenant-root", Name: "acme", Allowed: []string{}}}, "tenant-acme",
			policy.Tenancy{Tenant: true, Restricted: true}},
		{"a child without a list has its parent's, and its default", []policy.Tenant{
			tenant("tenant-root", "acme", "dc1", "dc1"), open("tenant-acme", "web", "")}, "tenant-acme-web",
			policy.Tenancy{Tenant: true, Restricted: true, Allowed: []string{"dc1"}, Default: "dc1"}},
		{"a child cannot widen its parent's list", []policy.Tenant{
			tenant("tenant-root", "acme", "", "dc1"), tenant("tenant-acme", "web", "", "dc1", "dc2")}, "tenant-acme-web",
			policy.Tenancy{Tenant: true, Restricted: true, Allowed: []string{"dc1"}}},
		{"nor can it through a child without a list", []policy.Tenant{
			tenant("tenant-root", "acme", "", "dc1"), open("tenant-acme", "web", ""), tenant("tenant-acme-web", "db", "", "dc2")}, "tenant-acme-web-db",
			policy.Tenancy{Tenant: true, Restricted: true}},
		{"the root's list is everybody's", []policy.Tenant{
			tenant("tenant-root", "root", "dc2", "dc1", "dc2"), tenant("tenant-root", "acme", "", "dc2", "dc3")}, "tenant-acme",
			policy.Tenancy{Tenant: true, Restricted: true, Allowed: []string{"dc2"}, Default: "dc2"}},
		{"a default that is not allowed falls to the next one above", []policy.Tenant{
			tenant("tenant-root", "acme", "dc1", "dc1"), tenant("tenant-acme", "web", "dc2", "dc1", "dc2")}, "tenant-acme-web",
			policy.Tenancy{Tenant: true, Restricted: true, Allowed: []string{"dc1"}, Default: "dc1"}},
		{"a child that lost its Tenant is not free of its parent", []policy.Tenant{tenant("tenant-root", "acme", "", "dc1")}, "tenant-acme-web",
			policy.Tenancy{Tenant: true, Restricted: true, Missing: true}},
		{"a namespace that no Tenant is above is no tenant's by its name", []policy.Tenant{tenant("tenant-root", "root", "", "dc1")}, "tenant-acme",
			policy.Tenancy{}},
		{"the root may lack its Tenant, not the one between", []policy.Tenant{open("tenant-acme", "web", "dc1")}, "tenant-acme-web",
			policy.Tenancy{Tenant: true, Restricted: true, Missing: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := *tenants(tt.tenants...).Tenancy(tt.namespace)
			got.Fence = affinityclass.Fence{}
			if len(got.Allowed) == 0 {
				got.Allowed = nil
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(affinityclass.Fence{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestATenantsNamespaceWithoutItsTenantAllowsNothing(t *testing.T) {
	s := tenants(tenant("tenant-root", "acme", "", "dc1")).WithNamespace("tenant-acme", policy.Namespace{Mode: policy.Deny, Tenant: true})
	if got := s.Tenancy("tenant-acme"); got.Missing || !got.Allows("dc1") {
		t.Fatalf("got %+v", got)
	}
	s = s.WithoutTenant("tenant-root", "acme")
	got := s.Tenancy("tenant-acme")
	if !got.Missing || !got.Restricted || got.Allows("dc1") {
		t.Errorf("a policy that is lost is open: %+v", got)
	}
	if _, outside := got.Fence.Check(affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1"}}); !outside {
		t.Error("its fence lets a Pod through")
	}
	for _, name := range []string{"tenant-root-x", "shop"} {
		if got := s.WithNamespace(name, policy.Namespace{Tenant: true}).Tenancy(name); !got.Missing {
			t.Errorf("%s is marked a tenant's, no Tenant can be its own, and it is open: %+v", name, got)
		}
	}
	root := s.WithNamespace("tenant-root", policy.Namespace{Tenant: true}).Tenancy("tenant-root")
	if root.Restricted || !root.Tenant {
		t.Errorf("the root without its Tenant: %+v", root)
	}
}

func TestAChangeOfAClassOrATenantIsSeenAtOnce(t *testing.T) {
	before := tenants(tenant("tenant-root", "acme", "", "dc1", "dc4"))
	dc4 := affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc4"}}
	if _, outside := before.Tenancy("tenant-acme").Fence.Check(dc4); !outside {
		t.Fatal("a class that does not exist has nodes")
	}
	after := before.With(class("dc4", "dc4"))
	if _, outside := after.Tenancy("tenant-acme").Fence.Check(dc4); outside {
		t.Error("the new class has none")
	}
	if got := after.WithTenant(tenant("tenant-root", "acme", "", "dc2")).Tenancy("tenant-acme"); got.Allows("dc4") {
		t.Error("the old list still holds")
	}
}
