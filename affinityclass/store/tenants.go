package store

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
)

// TenantSource is what Tenants are read from.
type TenantSource string

// The sources. FromReleases is for platforms whose own schema of Tenants lacks the
// two fields: they are read from the values of the releases that the platform makes
// of Tenants.
const (
	FromTenants  TenantSource = "tenants"
	FromReleases TenantSource = "helmreleases"
)

// tenantKind is the kind of application that the platform's Tenant releases bear.
const tenantKind = "Tenant"

// releasePrefix begins the name of the release that the platform makes of a Tenant.
// A release of another name is no Tenant's, whatever its labels say: so there is one
// for each.
const releasePrefix = "tenant-"

// object is an empty object of the source's kind. Releases are read whole: the
// shared watch of releases keeps of their values what is read here.
func (t TenantSource) object() client.Object {
	if t == FromReleases {
		return releaseKind()
	}
	return &tenantv1.Tenant{}
}

// objectName is the name that the source's object of a Tenant has.
func (t TenantSource) objectName(tenant string) string {
	if t == FromReleases {
		return releasePrefix + tenant
	}
	return tenant
}

// Read gives the Tenant that an object of the source stands for; false for an object
// that stands for none.
func (t TenantSource) Read(object any) (policy.Tenant, bool) {
	switch object := object.(type) {
	case *tenantv1.Tenant:
		return sound(policy.Tenant{
			Namespace: object.Namespace, Name: object.Name,
			Allowed: object.Spec.AllowedAffinityClasses, Default: object.Spec.DefaultAffinityClass,
		})
	case *unstructured.Unstructured:
		if tenant, ok := ReleaseTenant(object); ok {
			return sound(tenant)
		}
	}
	return policy.Tenant{}, false
}

// sound bounds what a Tenant says, for whoever stored it may not have been held to the
// rules of ours: a list that breaks them allows nothing. False for a Tenant that can
// govern no namespace.
func sound(t policy.Tenant) (policy.Tenant, bool) {
	malformed := func(name string) bool { return policy.MalformedName(name) != "" }
	if len(t.Allowed) > tenantv1.MaxAllowedClasses || slices.ContainsFunc(t.Allowed, malformed) {
		t.Allowed = []string{}
	}
	if t.Default != "" && malformed(t.Default) {
		t.Default = ""
	}
	_, governs := t.Governs()
	return t, governs
}

// ReleaseTenant reads the Tenant that a release stands for. Values that cannot be read
// allow nothing: what could not be told is not "no restriction".
func ReleaseTenant(release *unstructured.Unstructured) (policy.Tenant, bool) {
	labels := release.GetLabels()
	name := labels[lineage.LabelApplicationName]
	if labels[lineage.LabelApplicationKind] != tenantKind || name == "" || release.GetName() != releasePrefix+name {
		return policy.Tenant{}, false
	}
	t := policy.Tenant{Namespace: release.GetNamespace(), Name: name}
	spec, _ := release.Object["spec"].(map[string]any)
	if spec["values"] == nil {
		return t, true
	}
	values, ok := spec["values"].(map[string]any)
	if !ok {
		t.Allowed = []string{}
		return t, true
	}
	t.Default, _ = values["defaultAffinityClass"].(string)
	t.Allowed = readList(values["allowedAffinityClasses"])
	return t, true
}

func readList(value any) []string {
	if value == nil {
		return nil
	}
	items, _ := value.([]any)
	list := []string{}
	for _, item := range items {
		name, ok := item.(string)
		if !ok {
			return []string{}
		}
		list = append(list, name)
	}
	return list
}

// Subtenants lists the Tenants in a namespace, live.
func (s *Store) Subtenants(ctx context.Context, namespace string, limit int) (names []string, total int, err error) {
	tenants, err := s.listTenants(ctx, client.InNamespace(namespace))
	if err != nil {
		return nil, 0, err
	}
	for _, tenant := range tenants {
		names = append(names, tenant.Name)
	}
	slices.Sort(names)
	return names[:min(limit, len(names))], len(names), nil
}

// listTenants reads Tenants live; a cluster that serves no such kind has none.
func (s *Store) listTenants(ctx context.Context, options ...client.ListOption) ([]policy.Tenant, error) {
	var list client.ObjectList = &tenantv1.TenantList{}
	if s.source == FromReleases {
		options = append(options, client.MatchingLabels{lineage.LabelApplicationKind: tenantKind})
		list = releaseList()
	}
	if err := s.reader.List(ctx, list, options...); err != nil {
		if meta.IsNoMatchError(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("list Tenants: %w", err)
	}
	var tenants []policy.Tenant
	switch list := list.(type) {
	case *tenantv1.TenantList:
		for i := range list.Items {
			if tenant, ok := s.source.Read(&list.Items[i]); ok {
				tenants = append(tenants, tenant)
			}
		}
	case *unstructured.UnstructuredList:
		for i := range list.Items {
			if tenant, ok := s.source.Read(&list.Items[i]); ok {
				tenants = append(tenants, tenant)
			}
		}
	}
	return tenants, nil
}

// tenantsThatName lists the Tenants that refer to a class, live.
func (s *Store) tenantsThatName(ctx context.Context, class string) ([]string, error) {
	tenants, err := s.listTenants(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, tenant := range tenants {
		if tenant.Default == class || slices.Contains(tenant.Allowed, class) {
			names = append(names, tenantKind+" "+tenant.Namespace+"/"+tenant.Name)
		}
	}
	return names, nil
}

func releaseKind() *unstructured.Unstructured {
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(lineage.HelmRelease.WithVersion("v2"))
	return kind
}

func releaseList() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(lineage.HelmRelease.WithVersion("v2"))
	return list
}
