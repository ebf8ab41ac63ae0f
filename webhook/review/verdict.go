package review

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/lineage"
)

// Kind is the closed set of verdicts.
type Kind string

// The verdicts. Warned means exactly: the contract is broken, and the class or
// the namespace says Warn. Unknown is "could not tell", which admits nothing.
const (
	NotGoverned Kind = "NotGoverned"
	Allowed     Kind = "Allowed"
	Warned      Kind = "Warned"
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
	Unchanged       Reason = "Unchanged"       // NotGoverned: an update of nothing that is judged
	ContractKept    Reason = "ContractKept"    // Allowed
	ContractBroken  Reason = "ContractBroken"  // Denied 403, Warned, or Allowed in audit
	Exempt          Reason = "Exempt"          // Allowed
	Gated           Reason = "Gated"           // Allowed: judged when the last gate goes
	ClassChanging   Reason = "ClassChanging"   // Allowed: by a class that the release had until its change is done
	FenceKept       Reason = "FenceKept"       // Allowed: no class, and inside the tenant's
	FenceBroken     Reason = "FenceBroken"     // Denied 403, Warned, or Allowed in audit
	ClassInvalid    Reason = "ClassInvalid"    // Denied 403
	ClassNotAllowed Reason = "ClassNotAllowed" // Denied 403: on a release, an application or a Tenant
	ClassOfParent   Reason = "ClassOfParent"   // Denied 403: a child release that names another
	ClassDerived    Reason = "ClassDerived"    // Allowed: a release, with what was set on it
	ClassUnderived  Reason = "ClassUnderived"  // Unknown 503: a release without what had been set on it
	ClassPermitted  Reason = "ClassPermitted"  // Allowed: an application
	ClassMalformed  Reason = "ClassMalformed"  // Denied 400
	ClassNotFound   Reason = "ClassNotFound"   // Denied 409 for a Pod, else 403
	ClassesConflict Reason = "ClassesConflict" // Denied 409, Warned, or Allowed in audit
	ClassWellFormed Reason = "ClassWellFormed" // Allowed: an AffinityClass
	ClassUnused     Reason = "ClassUnused"     // Allowed: the deletion of an AffinityClass
	ClassInUse      Reason = "ClassInUse"      // Denied 409: the deletion of an AffinityClass
	TenantSound     Reason = "TenantSound"     // Allowed: a Tenant
	TenantMalformed Reason = "TenantMalformed" // Denied 400
	TenantInUse     Reason = "TenantInUse"     // Denied 403: the deletion of a Tenant with children
	OwnerBroken     Reason = "OwnerBroken"     // Denied 409 for a Pod, else 403
	OwnerForbidden  Reason = "OwnerForbidden"  // Unknown 403
	OwnerUnreadable Reason = "OwnerUnreadable" // Unknown 503
	BinaryMalformed Reason = "BinaryMalformed" // Denied 400
	BinaryLost      Reason = "BinaryLost"      // Unknown 503: a Pod without the terms of what it requires
	BinaryChanged   Reason = "BinaryChanged"   // Allowed: an update of a Pod's binary value
	// The next three answer for what a Pod requires of its neighbours.
	RequireUnsatisfied   Reason = "RequireUnsatisfied"   // Denied 409
	NeighboursForbidden  Reason = "NeighboursForbidden"  // Unknown 403
	NeighboursUnreadable Reason = "NeighboursUnreadable" // Unknown 503

	ClassForbidden  Reason = "ClassForbidden"  // Unknown 403
	ClassUnreadable Reason = "ClassUnreadable" // Unknown 503
)

// Verdict is the answer to a Request.
type Verdict struct {
	Kind   Kind
	Reason Reason
	// Code is the HTTP code of a refusal, for Warned the one that a denial would
	// have had; 0 when the Pod is allowed.
	Code       int32
	Message    string // what is wrong and what to do, when anything is
	Causes     []metav1.StatusCause
	Violations []affinityclass.Violation
	// Warnings for the user who sent the request, within the API server's bounds.
	Warnings []string
	Facts    Facts
}

// Facts are what the verdict rests on, for logs, metrics, audit and Events.
type Facts struct {
	Subject Subject
	Class   string // names joined by commas when several releases were reached
	Action  string // what a broken contract means here: the class's action and the namespace's mode
	Exempt  string // the exemption that let the Pod pass, and its reason
	// Release is the release accepted as the Pod's; nil when there is none.
	Release *lineage.Object
	// Top is the last owner below the chain's first release, which people look at
	// when Pods are missing. Top and Chain are filled in only where something is wrong.
	Top   *Owner
	Chain string
	// Weighted is set where a value with weights was accepted.
	Weighted *Weighted
	Hops     int
	DryRun   bool
	// Tolerated is why a Pod that was let in with a warning would have been refused for
	// what it requires of its neighbours; empty for all others.
	Tolerated Reason
	// Err is the cause of an Unknown, or of one that was tolerated, for the log alone: it may name what a tenant
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
func (v *Verdict) Admits() bool { return v.Kind != Denied && v.Kind != Unknown }

// Wrong says whether something is to be told: a refusal, or a contract that is
// broken and tolerated.
func (v *Verdict) Wrong() bool { return v.Message != "" }

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
