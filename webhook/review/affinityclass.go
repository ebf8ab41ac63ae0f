package review

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// AffinityClass is the object of a ClassRequest.
type AffinityClass = v1alpha1.AffinityClass

// ClassRequest is a change of an AffinityClass: Object alone is a creation, Old
// alone a deletion.
type ClassRequest struct {
	Object, Old *AffinityClass
	DryRun      bool
}

// Referrers tells who uses a class, read live. It names up to limit of them,
// such as "HelmRelease shop/web", sorted, and counts them all.
type Referrers interface {
	Referrers(ctx context.Context, class string, limit int) (names []string, total int, err error)
}

// maxReferrers is how many users of a class a message names.
const maxReferrers = 5

// Class judges a change of an AffinityClass. A deletion is refused while the
// class is in use: a courtesy before the finalizer, which alone withstands races.
func (r *Reviewer) Class(ctx context.Context, req *ClassRequest) Verdict {
	switch {
	case req.Object == nil:
		return r.deletion(ctx, req)
	case req.Object.DeletionTimestamp != nil || req.keepsSpec():
		return req.verdict(Allowed, Unchanged)
	case req.Old != nil:
		return req.rules(v1alpha1.ValidateUpdate(req.Object, req.Old))
	default:
		return req.rules(v1alpha1.Validate(req.Object))
	}
}

// keepsSpec says whether the change is beside the spec. Such a change passes even
// where the spec breaks a rule, as the API server lets it: a class stored before
// there was the rule gets its finalizer too.
func (req *ClassRequest) keepsSpec() bool {
	if req.Old == nil {
		return false
	}
	before, err := json.Marshal(req.Old.Spec)
	after, otherErr := json.Marshal(req.Object.Spec)
	return err == nil && otherErr == nil && bytes.Equal(before, after)
}

func (req *ClassRequest) verdict(kind Kind, reason Reason) Verdict {
	class := req.Object
	if class == nil {
		class = req.Old
	}
	return Verdict{Kind: kind, Reason: reason, Facts: Facts{
		Subject: Subject{Kind: "AffinityClass", Name: class.Name}, DryRun: req.DryRun,
	}}
}

func (req *ClassRequest) rules(errs field.ErrorList) Verdict {
	if len(errs) == 0 {
		return req.verdict(Allowed, ClassWellFormed)
	}
	v := req.verdict(Denied, ClassMalformed)
	v.Code = http.StatusBadRequest
	for _, err := range errs {
		v.Causes = append(v.Causes, metav1.StatusCause{Type: metav1.CauseType(err.Type), Field: err.Field, Message: err.ErrorBody()})
	}
	v.Message = fmt.Sprintf("AffinityClass %s: %v", v.Facts.Subject.Name, errs.ToAggregate())
	return v
}

func (r *Reviewer) deletion(ctx context.Context, req *ClassRequest) Verdict {
	names, total, err := r.options.Referrers.Referrers(ctx, req.Old.Name, maxReferrers)
	if err != nil {
		v := req.verdict(Unknown, ClassUnreadable)
		v.Code, v.Facts.Err = http.StatusServiceUnavailable, err
		v.Message = fmt.Sprintf("AffinityClass %s: who uses it could not be read now; try again", req.Old.Name)
		return v
	}
	if total == 0 {
		return req.verdict(Allowed, ClassUnused)
	}
	used := strings.Join(names, ", ")
	if more := total - len(names); more > 0 {
		used += fmt.Sprintf(" and %d more", more)
	}
	v := req.verdict(Denied, ClassInUse)
	v.Code = http.StatusConflict
	v.Message = fmt.Sprintf("AffinityClass %s: it is in use by %s; have them name another class first", req.Old.Name, used)
	for _, name := range names {
		v.Causes = append(v.Causes, metav1.StatusCause{Type: CauseReferrer, Message: name})
	}
	return v
}
