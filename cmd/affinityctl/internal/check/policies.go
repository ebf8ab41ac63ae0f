package check

import (
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

// readPolicies reads what the documents say of classes, namespaces and, where they are
// to count, tenants. A namespace without a mode is judged as strictly as there is.
func readPolicies(documents []manifest.Document, tenants bool) (*policy.Snapshot, error) {
	policies := policy.New()
	for i := range documents {
		document := &documents[i]
		switch object := document.Object; object.GroupKind {
		case classKind:
			class, err := readClass(document)
			if err != nil {
				return nil, err
			}
			policies = policies.With(class)
		case namespaceKind:
			read, governed := (policy.Scope{}).Read(object.Name, object.Labels)
			read.Tenant = read.Tenant && tenants
			if governed || read.Tenant {
				policies = policies.WithNamespace(object.Name, read)
			}
		case tenantKind:
			tenant, err := readTenant(document)
			if err != nil {
				return nil, err
			}
			if tenants {
				policies = policies.WithTenant(policy.Tenant{
					Namespace: object.Namespace, Name: object.Name,
					Allowed: tenant.Spec.AllowedAffinityClasses, Default: tenant.Spec.DefaultAffinityClass,
				})
			}
		}
	}
	return policies, nil
}

// releases are those of the documents, by namespace.
type releases map[string][]*lineage.Object

// Releases are those of namespaces.
func (r releases) Releases(namespaces []string) []*lineage.Object {
	var found []*lineage.Object
	for _, namespace := range namespaces {
		found = append(found, r[namespace]...)
	}
	return found
}

func releasesOf(documents []manifest.Document) releases {
	found := releases{}
	for i := range documents {
		if object := documents[i].Object; object.GroupKind == lineage.HelmRelease {
			found[object.Namespace] = append(found[object.Namespace], object)
		}
	}
	return found
}

// readClass decodes strictly: a field that is not known here might change what
// the class means.
func readClass(document *manifest.Document) (*v1alpha1.AffinityClass, error) {
	if document.APIVersion != v1alpha1.GroupVersion.String() {
		return nil, at(document, fmt.Errorf("AffinityClass of %s is not known here; use %s", document.APIVersion, v1alpha1.GroupVersion))
	}
	class := &v1alpha1.AffinityClass{}
	problems, err := kjson.UnmarshalStrict(document.JSON, class)
	if err == nil && len(problems) > 0 {
		err = problems[0]
	}
	if err != nil {
		return nil, at(document, fmt.Errorf("AffinityClass %s: %w", document.Object.Name, err))
	}
	return class, nil
}

// readTenant is lenient with other fields: a platform's Tenants have more.
func readTenant(document *manifest.Document) (*tenantv1.Tenant, error) {
	if document.APIVersion != tenantv1.GroupVersion.String() {
		return nil, at(document, fmt.Errorf("kind Tenant of %s is not known here; use %s", document.APIVersion, tenantv1.GroupVersion))
	}
	tenant := &tenantv1.Tenant{}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(document.JSON, tenant); err != nil {
		return nil, at(document, fmt.Errorf("read %s: %w", document.Object, err))
	}
	return tenant, nil
}

// Compiled is a class of the input, as the server would have it.
func (in *Input) Compiled(name string) (*affinityclass.Class, error) {
	policies, err := readPolicies(in.known(), false)
	if err != nil {
		return nil, err
	}
	class, err := policies.Class(name)
	if err != nil {
		return nil, fmt.Errorf("AffinityClass %q: %w", name, err)
	}
	return class, nil
}
