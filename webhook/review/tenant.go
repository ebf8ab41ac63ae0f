package review

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

// Tenant is the object of a TenantRequest.
type Tenant = tenantv1.Tenant

// TenantRequest is a change of a Tenant: Object alone is a creation, Old alone a
// deletion.
type TenantRequest struct {
	Namespace   string
	Object, Old *Tenant
	DryRun      bool
}

// Subtenants tells which tenants live in a namespace, read live: up to limit of their
// names, sorted, and how many there are in all.
type Subtenants interface {
	Subtenants(ctx context.Context, namespace string, limit int) (names []string, total int, err error)
}

// Tenant judges a change of a Tenant: its own form, that it stays within its parent's
// effective list, and that what it names exists. It is the child that is refused when
// parent and child contradict each other; a parent may be narrowed, and is told whom
// that hits.
func (r *Reviewer) Tenant(ctx context.Context, req *TenantRequest) Verdict {
	switch {
	case req.Object == nil:
		return r.tenantDeletion(ctx, req)
	case req.Object.DeletionTimestamp != nil || req.keepsLists():
		return req.verdict(Allowed, Unchanged)
	}
	if v, ok := req.form(); !ok {
		return v
	}
	before, err := r.policies.Current(ctx, req.Namespace)
	if err != nil {
		return req.refuse(policyUnread(err))
	}
	if req.denied(before) != nil {
		live, err := r.policies.Live(ctx, req.governs(), req.named())
		if err != nil {
			return req.refuse(policyUnread(err))
		}
		if d := req.denied(live); d != nil {
			return req.refuse(d)
		}
	}
	v := req.verdict(Allowed, TenantSound)
	v.Warnings = r.narrowed(req, before)
	return v
}

// tenant is the Tenant as policy knows it.
func (req *TenantRequest) tenant() policy.Tenant {
	spec := &req.Object.Spec
	return policy.Tenant{Namespace: req.Namespace, Name: req.Object.Name, Allowed: spec.AllowedAffinityClasses, Default: spec.DefaultAffinityClass}
}

func (req *TenantRequest) governs() string {
	tenant := req.tenant()
	namespace, _ := tenant.Governs()
	return namespace
}

// named lists the classes that the Tenant names.
func (req *TenantRequest) named() []string {
	names := slices.Clone(req.Object.Spec.AllowedAffinityClasses)
	if name := req.Object.Spec.DefaultAffinityClass; name != "" {
		names = append(names, name)
	}
	return names
}

func (req *TenantRequest) keepsLists() bool {
	if req.Old == nil {
		return false
	}
	before, after := &req.Old.Spec, &req.Object.Spec
	return before.DefaultAffinityClass == after.DefaultAffinityClass &&
		(before.AllowedAffinityClasses == nil) == (after.AllowedAffinityClasses == nil) &&
		slices.Equal(before.AllowedAffinityClasses, after.AllowedAffinityClasses)
}

// form holds the Tenant to the rules of one object, and to a place where it governs.
func (req *TenantRequest) form() (Verdict, bool) {
	errs := tenantv1.Validate(req.Object)
	if len(errs) > 0 {
		v := req.refuse(&denial{kind: Denied, reason: TenantMalformed, code: http.StatusBadRequest,
			what: errs.ToAggregate().Error(), todo: "mend it"})
		for _, err := range errs {
			v.Causes = append(v.Causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Field: err.Field, Message: err.ErrorBody()})
		}
		return v, false
	}
	if req.governs() == "" {
		return req.refuse(&denial{kind: Denied, reason: TenantMalformed, code: http.StatusBadRequest, field: "metadata.namespace", cause: CauseClass,
			what: fmt.Sprintf("no namespace can belong to a Tenant %s in namespace %s", req.Object.Name, req.Namespace),
			todo: "make it in the namespace of its parent, such as " + tenantv1.Root}), false
	}
	return Verdict{}, true
}

const (
	allowedField = "spec.allowedAffinityClasses"
	defaultField = "spec.defaultAffinityClass"
)

// denied holds the Tenant to what its parents leave it, and to the classes there are.
func (req *TenantRequest) denied(policies *policy.Snapshot) *denial {
	tenant := req.tenant()
	list := tenant.Allowed
	tenant.Allowed = nil
	left := policies.WithTenant(tenant).Tenancy(req.governs()) // what the parents leave
	tenant.Allowed = list
	own := policies.WithTenant(tenant).Tenancy(req.governs())
	for _, name := range list {
		w := &wish{class: name, field: allowedField}
		if d := permitted(name, allowedField, left); d != nil {
			return beyond(d, left)
		}
		if d := req.exists(w, policies); d != nil {
			return d
		}
	}
	if tenant.Default == "" {
		return nil
	}
	if d := permitted(tenant.Default, defaultField, own); d != nil {
		return beyond(d, own)
	}
	return req.exists(&wish{class: tenant.Default, field: defaultField}, policies)
}

// exists asks only for what the Tenant did not name before.
func (req *TenantRequest) exists(w *wish, policies *policy.Snapshot) *denial {
	if old := req.Old; old != nil && (slices.Contains(old.Spec.AllowedAffinityClasses, w.class) || old.Spec.DefaultAffinityClass == w.class) {
		return nil
	}
	return exists(w, policies)
}

func beyond(d *denial, tenancy *policy.Tenancy) *denial {
	d.what = strings.Replace(d.what, "is not allowed by its tenant", "is beyond its effective list", 1)
	if !tenancy.Missing {
		d.todo = "leave it out, or have the parent tenant allow it"
	}
	return d
}

func (req *TenantRequest) title() string {
	return "Tenant " + req.Namespace + "/" + req.subject().Name
}

func (req *TenantRequest) subject() *Tenant {
	if req.Object != nil {
		return req.Object
	}
	return req.Old
}

func (req *TenantRequest) verdict(kind Kind, reason Reason) Verdict {
	return Verdict{Kind: kind, Reason: reason, Facts: Facts{
		Subject: Subject{"Tenant", req.Namespace, req.subject().Name}, DryRun: req.DryRun,
	}}
}

func (req *TenantRequest) refuse(d *denial) Verdict {
	return d.refuse(req.verdict(d.kind, d.reason), req.title())
}
