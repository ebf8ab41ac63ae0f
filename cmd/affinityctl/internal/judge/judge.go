// Package judge takes the production decision, package webhook/review, on Pods of a
// running cluster, from what its user may read there.
//
// Nobody sent these Pods just now: their creator is not known, so exemptions, which go
// by it, are not applied, and mirror Pods are judged like others. It reads nothing
// itself and writes nothing.
package judge

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/live"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Judge judges Pods of a cluster. It is safe for concurrent use.
type Judge struct {
	reviewer *review.Reviewer
	policies *live.Policies
	mode     policy.Mode // in place of the namespaces'; empty for none
}

// New makes a Judge of policies that were read, and of what reads lineage. A mode, if
// there is one, counts in place of that of every namespace. A state, if there is one,
// is asked what is placed where, as it is of a Pod that is created: one that exists
// had its answer then.
func New(policies *live.Policies, begin review.Begin, mode policy.Mode, state review.State) *Judge {
	reviewer := review.New(begin, review.Fixed{Policy: policies.Snapshot}, review.Options{State: state})
	return &Judge{reviewer, policies, mode}
}

// Mode is the mode by which a namespace is judged, and whether a webhook would be
// asked there. Where none would, deny shows what it would say.
func (j *Judge) Mode(namespace string) (mode policy.Mode, governed bool) {
	labels := j.policies.Namespaces[namespace]
	switch {
	case j.mode != "":
		return j.mode, !labels.Never
	case labels.Governed:
		return labels.Mode, true
	default:
		return policy.Deny, false
	}
}

// ErrNoPod says that an object's kind has no Pod.
var ErrNoPod = errors.New("it is no Pod and has no Pod template")

// Request is the request about an object in JSON that admission would see for it, or
// for a Pod of its template.
func (j *Judge) Request(kind schema.GroupKind, namespace string, object []byte) (*review.Request, error) {
	request, err := review.NewTemplate(namespace, kind.Group, object)
	if kind == (schema.GroupKind{Kind: "Pod"}) {
		request, err = check.PodRequest(namespace, object)
	}
	if errors.Is(err, review.ErrNoTemplate) {
		return nil, ErrNoPod
	}
	if err != nil {
		return nil, err
	}
	request.Mode, _ = j.Mode(namespace)
	request.Now = time.Now()
	return request, nil
}

// Verdict is what admission would say. An Unknown is about this user's rights, so it
// carries the cluster's own words instead of those for who asked the webhook.
func (j *Judge) Verdict(ctx context.Context, request *review.Request) review.Verdict {
	v := j.reviewer.Pod(ctx, request)
	if v.Kind == review.Unknown && v.Facts.Err != nil {
		v.Message = v.Facts.Err.Error()
	}
	return v
}

// Labels is what admission would change of the Pod's derived labels.
func (j *Judge) Labels(ctx context.Context, request *review.Request) []review.PatchOp {
	return j.reviewer.Labels(ctx, request, append(review.ApplicationLabels(), review.ClassLabels()...))
}

// Policies are those that decide.
func (j *Judge) Policies() *live.Policies { return j.policies }

// Notes say what was not considered.
func (j *Judge) Notes() []string {
	p := j.policies
	switch {
	case p.Unread != nil:
		return []string{"whether an AffinityExemption covers it could not be read: " + p.Unread.Error()}
	case p.Exemptions > 0:
		return []string{"AffinityExemptions are not applied: they go by who creates a Pod, which the cluster does not keep"}
	}
	return nil
}
