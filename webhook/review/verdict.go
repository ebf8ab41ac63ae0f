package review

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/lineage"
)

// Kind is the closed set of verdicts.
type Kind string

// The verdicts. Unknown is "could not tell", which admits nothing.
const (
	NotGoverned Kind = "NotGoverned"
	Allowed     Kind = "Allowed"
	Denied      Kind = "Denied"
	Unknown     Kind = "Unknown"
)

// Reason says in one word why a verdict was reached; a closed set, so that it
// can be a metric's label.
type Reason string

// The reasons, with the verdict each belongs to.
const (
	MirrorPod       Reason = "MirrorPod"       // NotGoverned
	NoRelease       Reason = "NoRelease"       // NotGoverned
	NoClass         Reason = "NoClass"         // NotGoverned
	ContractKept    Reason = "ContractKept"    // Allowed
	ContractBroken  Reason = "ContractBroken"  // Denied 403
	ClassInvalid    Reason = "ClassInvalid"    // Denied 403
	ClassMalformed  Reason = "ClassMalformed"  // Denied 400
	ClassNotFound   Reason = "ClassNotFound"   // Denied 409
	ClassesConflict Reason = "ClassesConflict" // Denied 409
	OwnerBroken     Reason = "OwnerBroken"     // Denied 409
	OwnerForbidden  Reason = "OwnerForbidden"  // Unknown 403
	OwnerUnreadable Reason = "OwnerUnreadable" // Unknown 503
	ClassForbidden  Reason = "ClassForbidden"  // Unknown 403
	ClassUnreadable Reason = "ClassUnreadable" // Unknown 503
)

// Verdict is the answer to a Request.
type Verdict struct {
	Kind   Kind
	Reason Reason
	// Code is the HTTP code of a refusal; 0 when the Pod is admitted.
	Code       int32
	Message    string
	Causes     []metav1.StatusCause
	Violations []affinityclass.Violation
	Facts      Facts
}

// Facts are what the verdict rests on, for logs, metrics, audit and Events.
type Facts struct {
	Subject Subject
	Class   string // names joined by commas when several releases were reached
	Action  string // the class's enforcement action
	// Release is the release accepted as the Pod's; nil when there is none.
	Release *lineage.Object
	// Top is the last owner below the chain's first release, which people look at
	// when Pods are missing. Top and Chain are filled in on a refusal alone.
	Top    *Owner
	Chain  string
	Hops   int
	DryRun bool
	// Err is the cause of an Unknown, for the log alone: it may name what a tenant
	// must not learn.
	Err error
}

// Owner is an object that an owner reference named and that was found under it.
type Owner struct {
	APIVersion string // as the reference has it
	Object     *lineage.Object
}

// Subject is the judged object as it is shown to people.
type Subject struct {
	Kind, Namespace, Name string
}

// Admits says whether the request may pass.
func (v *Verdict) Admits() bool { return v.Kind == NotGoverned || v.Kind == Allowed }

// StatusReason is the API machinery's reason for the verdict's code.
func (v *Verdict) StatusReason() metav1.StatusReason {
	switch v.Code {
	case http.StatusBadRequest:
		return metav1.StatusReasonBadRequest
	case http.StatusForbidden:
		return metav1.StatusReasonForbidden
	case http.StatusConflict:
		return metav1.StatusReasonConflict
	case http.StatusServiceUnavailable:
		return metav1.StatusReasonServiceUnavailable
	default:
		return ""
	}
}
