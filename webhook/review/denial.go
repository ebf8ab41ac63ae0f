package review

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

const askAgain = "this may say nothing about the object itself: try again"

// denial is a refusal of something that names a class: a release, an application or a
// Tenant. It is never a conflict: these are applied server-side, where a 409 reads as
// another manager's field.
type denial struct {
	kind   Kind
	reason Reason
	code   int32
	what   string
	todo   string
	cause  metav1.CauseType
	field  string
	err    error // of an Unknown, for the log
}

// refuse words the denial of a subject, as Pods are refused.
func (d *denial) refuse(v Verdict, title string) Verdict {
	v.Kind, v.Reason, v.Code, v.Facts.Err = d.kind, d.reason, d.code, d.err
	v.Message = fmt.Sprintf("%s: %s; %s", title, d.what, d.todo)
	if d.cause != "" {
		v.Causes = append(v.Causes, metav1.StatusCause{Type: d.cause, Field: d.field, Message: d.what})
	}
	return v
}

func malformedWish(w *wish) *denial {
	return &denial{kind: Denied, reason: ClassMalformed, code: http.StatusBadRequest, cause: CauseClass, field: w.field,
		what: w.field + ": " + w.why, todo: "name an AffinityClass, or none"}
}

func valuesNoObject(h *HelmRelease) *denial {
	return &denial{kind: Denied, reason: ClassMalformed, code: http.StatusBadRequest, cause: CauseClass, field: "spec.values",
		what: fmt.Sprintf("spec.values: it is %s, and has to be an object to be given %s", kindOf(h.Spec.Values), schedulingKey),
		todo: "give the chart an object, or set the annotation " + policy.InjectAnnotation + `: "false"`}
}

// permitted says why tenants do not let the class be named, whether it exists or not.
func permitted(class, field string, tenancy *policy.Tenancy) *denial {
	if tenancy.Allows(class) {
		return nil
	}
	d := &denial{kind: Denied, reason: ClassNotAllowed, code: http.StatusForbidden, cause: CauseClass, field: field}
	d.what = fmt.Sprintf("AffinityClass %q (%s) is not allowed by its tenant; %s", class, field, allowedText(tenancy))
	d.todo = "name one that is allowed, or have whoever manages the tenant allow it"
	if tenancy.Missing {
		d.todo = "have the platform admin restore the Tenant"
	}
	return d
}

func allowedText(tenancy *policy.Tenancy) string {
	switch {
	case tenancy.Missing:
		return "the Tenant of the namespace, or one above it, does not exist, so none is allowed"
	case len(tenancy.Allowed) == 0:
		return "none is allowed"
	default:
		return "allowed: " + strings.Join(tenancy.Allowed, ", ")
	}
}

func noClass(class, field string, err error) *denial {
	d := &denial{kind: Denied, reason: ClassNotFound, code: http.StatusForbidden, cause: CauseNotFound, field: field,
		what: fmt.Sprintf("AffinityClass %q (%s) not found", class, field),
		todo: "have the platform admin create it, or name another class"}
	if !errors.Is(err, policy.ErrClassNotFound) {
		d.reason, d.cause = ClassInvalid, CauseClass
		d.what = fmt.Sprintf("AffinityClass %q (%s) cannot hold a Pod: %v", class, field, err)
		d.todo = "have the platform admin replace it, or name another class"
	}
	return d
}

func classGoing(class, field string) *denial {
	return &denial{kind: Denied, reason: ClassNotFound, code: http.StatusForbidden, cause: CauseNotFound, field: field,
		what: fmt.Sprintf("AffinityClass %q (%s) is being deleted", class, field), todo: "name another class"}
}

func parentDiffers(w *wish, p *parentage) *denial {
	return &denial{kind: Denied, reason: ClassOfParent, code: http.StatusForbidden, cause: CauseClass, field: w.field,
		what: fmt.Sprintf("AffinityClass %q (%s) is not %q, that of the release which it is a part of", w.class, w.field, p.class),
		todo: "name none here: it is taken from there"}
}

func parentsDiffer(classes []string) *denial {
	return &denial{kind: Denied, reason: ClassOfParent, code: http.StatusForbidden, cause: CauseClass, field: ownersField,
		what: fmt.Sprintf("it is a part of releases with different AffinityClasses (%s)", strings.Join(classes, ", ")),
		todo: "give the releases one class, or leave it one owner"}
}

func parentBroken(outcome lineage.Broken) *denial {
	return &denial{kind: Denied, reason: OwnerBroken, code: http.StatusForbidden, cause: CauseOwner, field: ownersField,
		what: string(outcome.Why), todo: "remove the reference"}
}

func parentUnread(outcome lineage.Unknown) *denial {
	d := &denial{kind: Unknown, reason: OwnerUnreadable, code: http.StatusServiceUnavailable, cause: CauseOwner, field: ownersField,
		what: fmt.Sprintf("its owner, a %s, could not be read now", kindText(outcome)), todo: askAgain, err: outcome.Err}
	if outcome.Lasting {
		d.reason, d.code = OwnerForbidden, http.StatusForbidden
		d.what = fmt.Sprintf("its owner's kind %s cannot be read by the affinity webhook", kindText(outcome))
		d.todo = "remove the owner reference, or have the platform admin extend the webhook's role"
	}
	return d
}

// policyUnread is told when classes or tenants could not be read.
func policyUnread(err error) *denial {
	d := &denial{kind: Unknown, reason: ClassUnreadable, code: http.StatusServiceUnavailable, cause: CauseClass,
		what: "AffinityClass or Tenant could not be read now", todo: askAgain, err: err}
	if apierrors.IsForbidden(err) {
		d.reason, d.code = ClassForbidden, http.StatusForbidden
		d.what = "AffinityClass or Tenant may not be read by the affinity webhook"
		d.todo = "have the platform admin restore the webhook's ClusterRole"
	}
	return d
}
