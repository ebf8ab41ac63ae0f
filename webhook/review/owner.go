package review

import (
	"errors"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
)

const (
	ownersField = "metadata.ownerReferences"
	tryAgain    = "this may say nothing about the Pod itself: try again"
)

// secret is the kind that no role may be extended by.
var secret = schema.GroupKind{Kind: "Secret"}

// ownerBroken answers for a chain that leads nowhere. All dangling references
// are worded alike: the difference would tell a tenant what exists.
func (f *finding) ownerBroken(outcome lineage.Broken) Verdict {
	return f.refuse(refusal{
		kind: Denied, reason: OwnerBroken, code: http.StatusConflict, cause: CauseOwner, field: ownersField,
		what: string(outcome.Why),
		todo: "recreate it under an owner that exists, or without the owner reference",
	})
}

// ownerUnreadable answers for a hop that could not be read. What a tenant is told
// is the kind, which the tenant wrote, never the error.
func (f *finding) ownerUnreadable(outcome lineage.Unknown) Verdict {
	r := refusal{
		kind: Unknown, reason: OwnerUnreadable, code: http.StatusServiceUnavailable, cause: CauseOwner, field: ownersField,
		what: fmt.Sprintf("its owner, a %s, could not be read now", kindText(outcome)),
		todo: tryAgain,
	}
	if outcome.Lasting {
		r = f.lasting(outcome)
	}
	v := f.refuse(r)
	v.Facts.Err = outcome.Err
	return v
}

func (f *finding) lasting(outcome lineage.Unknown) refusal {
	r := refusal{
		kind: Unknown, reason: OwnerForbidden, code: http.StatusForbidden, cause: CauseOwner, field: ownersField,
		what: fmt.Sprintf("its owner's kind %s may not be read by the affinity webhook", kindText(outcome)),
		todo: fmt.Sprintf("have the platform admin add the kind to ClusterRole %s (chart value ownerKinds)", f.options.OwnerKindsRole),
	}
	switch {
	case outcome.Hop.Ref.GroupKind == secret:
		r.todo = "remove the owner reference: Secrets are never read"
	case errors.Is(outcome.Err, lineage.ErrNoKind):
		r.what = fmt.Sprintf("its owner's kind %s is not served by this cluster", kindText(outcome))
		r.todo = "remove the owner reference, or have the platform admin install the kind"
	}
	return r
}

// kindText is the kind that an owner reference names, cut: the API server bounds
// neither a kind nor a group there, and what is said here is repeated in Events.
func kindText(outcome lineage.Unknown) string {
	const longest = 100
	text := outcome.Hop.Ref.GroupKind.String()
	if len(text) > longest {
		return text[:longest] + "…"
	}
	return text
}
