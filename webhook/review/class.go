package review

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cozystack/affinityclass/affinityclass/policy"
)

const nameAnother = "name another class on the application"

func (f *finding) classMalformed(name, why string) Verdict {
	return f.refuse(refusal{
		kind: Denied, reason: ClassMalformed, code: http.StatusBadRequest, cause: CauseClass,
		what: fmt.Sprintf("label %s=%s of its release is not the name of an AffinityClass: %s", policy.ClassLabel, name, why),
		todo: nameAnother,
	})
}

// classUnusable answers for a class that is absent, or stored without a
// selector. Absent is a state that may pass, so it is a conflict.
func (f *finding) classUnusable(name string, err error) Verdict {
	if errors.Is(err, policy.ErrClassNotFound) {
		return f.refuse(refusal{
			kind: Denied, reason: ClassNotFound, code: http.StatusConflict, cause: CauseNotFound,
			what: fmt.Sprintf("AffinityClass %q not found", name),
			todo: "have the platform admin create it, or " + nameAnother,
		})
	}
	return f.refuse(refusal{
		kind: Denied, reason: ClassInvalid, code: http.StatusForbidden, cause: CauseClass,
		what: fmt.Sprintf("AffinityClass %q cannot hold a Pod: %v", name, err),
		todo: "have the platform admin replace it, or " + nameAnother,
	})
}

// policyUnreadable answers when classes or tenants could not be read, where nothing
// is remembered of the namespace or before a denial: not denied, since nothing was
// proven, and not allowed.
func (f *finding) policyUnreadable(err error) Verdict {
	r := refusal{
		kind: Unknown, reason: ClassUnreadable, code: http.StatusServiceUnavailable, cause: CauseClass,
		what: "its AffinityClass or Tenant could not be read now", todo: tryAgain,
	}
	if apierrors.IsForbidden(err) {
		r.reason, r.code = ClassForbidden, http.StatusForbidden
		r.what = "its AffinityClass or Tenant may not be read by the affinity webhook"
		r.todo = "have the platform admin restore the webhook's ClusterRole"
	}
	v := f.refuse(r)
	v.Facts.Err = err
	return v
}
