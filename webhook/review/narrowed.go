package review

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
)

// Releases lists the releases of namespaces, as they are remembered.
type Releases interface {
	Releases(namespaces []string) []*lineage.Object
}

// maxNamed is how many of those that a change hits a message names.
const maxNamed = 5

// narrowed warns of whom a new list hits: tenants below whose own lists or defaults
// go beyond it, and releases whose class is no longer allowed. The intersection holds
// at once, for new Pods.
func (r *Reviewer) narrowed(req *TenantRequest, before *policy.Snapshot) []string {
	tenant, governs := req.tenant(), req.governs()
	after := before.WithTenant(tenant)
	if widens(before.Tenancy(governs), after.Tenancy(governs)) {
		return nil
	}
	var tenants, releases []string
	hit := append(below(before, governs), governs)
	for _, namespace := range hit {
		own, ok := before.TenantOf(namespace)
		if ok && namespace != governs && loses(&own, before.Tenancy(namespace), after.Tenancy(namespace)) {
			tenants = append(tenants, own.Namespace+"/"+own.Name)
		}
	}
	for _, release := range r.releases(hit) {
		class, ok := policy.ClassName(release.Labels)
		if ok && before.Tenancy(release.Namespace).Allows(class) && !after.Tenancy(release.Namespace).Allows(class) {
			releases = append(releases, release.Namespace+"/"+release.Name)
		}
	}
	var warnings []string
	if len(tenants) > 0 {
		warnings = append(warnings, clip(req.title()+": the lists of these tenants go beyond it, and hold only where both allow: "+some(tenants)))
	}
	if len(releases) > 0 {
		warnings = append(warnings, clip(req.title()+": the class of these releases is no longer allowed, and their new Pods will be refused: "+some(releases)))
	}
	return warnings
}

// widens says whether all that was allowed still is.
func widens(was, is *policy.Tenancy) bool {
	if !is.Restricted {
		return true
	}
	return was.Restricted && !slices.ContainsFunc(was.Allowed, func(class string) bool { return !is.Allows(class) })
}

func (r *Reviewer) releases(namespaces []string) []*lineage.Object {
	if r.options.Releases == nil {
		return nil
	}
	return r.options.Releases.Releases(namespaces)
}

// below lists the namespaces of tenants under one, sorted.
func below(policies *policy.Snapshot, namespace string) []string {
	return slices.DeleteFunc(policies.TenantNamespaces(), func(other string) bool {
		return other == namespace || !slices.Contains(tenantv1.Path(other), namespace)
	})
}

// loses says whether something that the tenant names itself was allowed and is not.
func loses(own *policy.Tenant, was, is *policy.Tenancy) bool {
	names := own.Allowed
	if own.Default != "" {
		names = append(slices.Clone(names), own.Default)
	}
	return slices.ContainsFunc(names, func(class string) bool { return was.Allows(class) && !is.Allows(class) })
}

// some names a few, and says how many more there are.
func some(names []string) string {
	slices.Sort(names)
	text := strings.Join(names[:min(maxNamed, len(names))], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// tenantDeletion refuses to orphan children: their path would have a hole, and a lost
// policy allows nothing.
func (r *Reviewer) tenantDeletion(ctx context.Context, req *TenantRequest) Verdict {
	tenant := policy.Tenant{Namespace: req.Namespace, Name: req.Old.Name}
	governs, ok := tenant.Governs()
	if !ok || r.options.Subtenants == nil {
		return req.verdict(Allowed, TenantSound)
	}
	names, total, err := r.options.Subtenants.Subtenants(ctx, governs, maxNamed+1)
	if err != nil {
		return req.refuse(policyUnread(err))
	}
	if names = slices.DeleteFunc(names, func(name string) bool { return governs == req.Namespace && name == req.Old.Name }); governs == req.Namespace {
		total-- // the root lives in its own namespace
	}
	if total <= 0 {
		return req.verdict(Allowed, TenantSound)
	}
	text := strings.Join(names[:min(maxNamed, len(names))], ", ")
	if more := total - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return req.refuse(&denial{kind: Denied, reason: TenantInUse, code: http.StatusForbidden, cause: CauseReferrer,
		what: "it has tenants below it: " + text, todo: "delete them first"})
}
