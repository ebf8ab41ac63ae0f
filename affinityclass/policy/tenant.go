package policy

import (
	"slices"

	"github.com/cozystack/affinityclass/affinityclass"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

// TenantLabel marks a tenant's namespace, with the value "true": it stays one when
// its Tenant is lost, and then allows nothing.
const TenantLabel = "affinity.cozystack.io/tenant"

// root is the namespace at the top of every path. It may lack its Tenant.
const root = tenantv1.Root

// Tenant is what one Tenant decides, whatever it was read from.
type Tenant struct {
	Namespace, Name string   // of the object; the namespace that it governs is another
	Allowed         []string // nil: no restriction of its own; empty: no class at all
	Default         string   // empty: none of its own
}

// Governs is the namespace of the tenant; false when none can be.
func (t *Tenant) Governs() (string, bool) { return tenantv1.Namespace(t.Namespace, t.Name) }

// WithTenant returns a snapshot in which the tenant replaces the one of its
// namespace. One that cannot have a namespace changes nothing.
func (s *Snapshot) WithTenant(t Tenant) *Snapshot {
	governs, ok := t.Governs()
	if !ok || s.has(governs, &t) {
		return s
	}
	next := s.forgetful()
	next.tenants = grown(s.tenants)
	next.tenants[governs] = t
	return next
}

// has says whether a change of a Tenant changes nothing here, such as one of its status.
func (s *Snapshot) has(governs string, t *Tenant) bool {
	before, ok := s.tenants[governs]
	return ok && before.Default == t.Default && (before.Allowed == nil) == (t.Allowed == nil) && slices.Equal(before.Allowed, t.Allowed)
}

// WithoutTenant returns a snapshot that lacks the named tenant.
func (s *Snapshot) WithoutTenant(namespace, name string) *Snapshot {
	governs, ok := tenantv1.Namespace(namespace, name)
	if !ok {
		return s
	}
	next := s.forgetful()
	next.tenants = grown(s.tenants)
	delete(next.tenants, governs)
	return next
}

// TenantOf is the tenant that governs a namespace itself.
func (s *Snapshot) TenantOf(namespace string) (Tenant, bool) {
	t, ok := s.tenants[namespace]
	return t, ok
}

// TenantNamespaces lists the namespaces that tenants govern, sorted.
func (s *Snapshot) TenantNamespaces() []string {
	names := make([]string, 0, len(s.tenants))
	for name := range s.tenants {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Tenancy is what the tenants on the path to a namespace leave it. The zero Tenancy
// is that of a namespace which is no tenant's: nothing is restricted there. It is
// shared and not to be changed.
type Tenancy struct {
	Tenant     bool     // the namespace is a tenant's
	Restricted bool     // a tenant on the path has a list
	Allowed    []string // the effective list, sorted; of meaning when restricted
	Default    string   // the effective default; empty for none
	// Missing says that the Tenant of the namespace, or one above it, does not exist:
	// a policy that is lost is a closed one, and nothing is allowed.
	Missing bool
	// Fence is the union of the allowed classes.
	Fence affinityclass.Fence
}

// Allows says whether a release of the namespace may name the class.
func (t *Tenancy) Allows(class string) bool {
	if !t.Restricted {
		return true
	}
	_, found := slices.BinarySearch(t.Allowed, class)
	return found
}

// Tenancy is what is left to a namespace. It is found anew only after a change of a
// tenant or a class.
func (s *Snapshot) Tenancy(namespace string) *Tenancy {
	if found, ok := s.tenancies.Load(namespace); ok {
		return found.(*Tenancy)
	}
	t := s.effective(namespace)
	if t.Tenant { // what is remembered is bounded by the tenants that there are
		s.tenancies.Store(namespace, t)
	}
	return t
}

// effective walks the path. The lists are intersected now, so no race between a
// parent and its child can widen one.
func (s *Snapshot) effective(namespace string) *Tenancy {
	path := tenantv1.Path(namespace)
	if !s.governed[namespace].Tenant && !s.mapped(path) {
		return &Tenancy{}
	}
	t := &Tenancy{Tenant: true}
	t.Missing = len(path) == 0
	var defaults []string
	for _, above := range path {
		tenant, ok := s.tenants[above]
		if !ok {
			t.Missing = t.Missing || above != root
			continue
		}
		t.narrow(tenant.Allowed)
		if tenant.Default != "" {
			defaults = append(defaults, tenant.Default)
		}
	}
	if t.Missing {
		return &Tenancy{Tenant: true, Restricted: true, Missing: true}
	}
	for _, nearest := range slices.Backward(defaults) {
		if t.Allows(nearest) {
			t.Default = nearest
			break
		}
	}
	t.Fence = s.fence(t.Allowed)
	return t
}

// mapped says whether the path's last namespace is a tenant's by its name: a Tenant
// governs it, or one above it but the root. In the latter case its own is lost, and to
// lose it must not be a way out of what the one above decided.
func (s *Snapshot) mapped(path []string) bool {
	return slices.ContainsFunc(path, func(namespace string) bool {
		_, ok := s.tenants[namespace]
		return ok && (namespace != root || len(path) == 1)
	})
}

func (t *Tenancy) narrow(list []string) {
	if list == nil {
		return
	}
	if !t.Restricted {
		t.Restricted, t.Allowed = true, slices.Compact(slices.Sorted(slices.Values(list)))
		return
	}
	t.Allowed = slices.DeleteFunc(t.Allowed, func(class string) bool { return !slices.Contains(list, class) })
}

// fence leaves out classes that do not exist or hold nothing: they add no node.
func (s *Snapshot) fence(names []string) affinityclass.Fence {
	var classes []*affinityclass.Class
	for _, name := range names {
		if class, err := s.Class(name); err == nil {
			classes = append(classes, class)
		}
	}
	return affinityclass.NewFence(names, classes)
}
