package review

import (
	"net/http"
	"slices"

	"github.com/cozystack/affinityclass/affinityclass"
)

// fence says how the Pod may leave its tenant's classes. A Pod that keeps a class
// which the tenant may use stays inside their union, so nothing needs proof.
func (f *finding) fence(classes, escaped []*affinityclass.Class) []affinityclass.Violation {
	if !f.tenancy.Restricted {
		return nil
	}
	for _, class := range classes {
		if f.tenancy.Allows(class.Name()) && len(f.former) == 0 && !slices.Contains(escaped, class) {
			return nil
		}
	}
	if v, outside := f.tenancy.Fence.Check(f.request.Pod.Spec.Constraints); outside {
		return []affinityclass.Violation{v}
	}
	return nil
}

// fenceBroken is told before a broken contract, and with it.
func (f *finding) fenceBroken(outside, broken []affinityclass.Violation) Verdict {
	r := refusal{kind: Denied, reason: FenceBroken, code: http.StatusForbidden}
	switch {
	case f.tenancy.Missing:
		r.what = "its namespace is a tenant's, and the Tenant, or one above it, does not exist: no AffinityClass is allowed"
		r.todo = "have the platform admin restore the Tenant"
	case len(f.tenancy.Allowed) == 0:
		r.what = "its tenant allows no AffinityClass, so no Pod"
		r.todo = "have whoever manages the tenant allow one"
	default:
		r.what = "it may leave its tenant's AffinityClasses: " + outside[0].Message
		r.todo = "have the application name one of them, or " + f.whereToSet(outside)
	}
	if len(broken) > 0 {
		r.what += "; " + wants(broken)
	}
	return f.refuseBroken(r, append(outside, broken...))
}
