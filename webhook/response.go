package webhook

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/webhook/review"
)

// answer is an AdmissionReview with a response, sized to what is ever answered.
type answer struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Response   response `json:"response"`
}

type response struct {
	UID              types.UID      `json:"uid"`
	Allowed          bool           `json:"allowed"`
	Status           *metav1.Status `json:"status,omitempty"`
	Patch            []byte         `json:"patch,omitempty"` // base64 in JSON
	PatchType        string         `json:"patchType,omitempty"`
	Warnings         []string       `json:"warnings,omitempty"`
	AuditAnnotations *annotations   `json:"auditAnnotations,omitempty"`
}

// annotations are the audit annotations; the API server prefixes each key with
// the webhook's name.
type annotations struct {
	Verdict review.Kind   `json:"verdict"`
	Reason  review.Reason `json:"reason"`
	Class   string        `json:"class,omitempty"`
	Release string        `json:"release,omitempty"`
	Exempt  string        `json:"exempt,omitempty"`
	// Message is what a denial would have said where the Pod passed all the same.
	Message string `json:"message,omitempty"`
}

func respond(uid types.UID, v *review.Verdict) response {
	r := response{UID: uid, Allowed: v.Admits(), Warnings: v.Warnings, AuditAnnotations: annotate(v)}
	if !r.Allowed {
		r.Status = &metav1.Status{
			Status: metav1.StatusFailure, Code: v.Code, Reason: v.StatusReason(), Message: v.Message,
			Details: &metav1.StatusDetails{Kind: v.Facts.Subject.Kind, Name: v.Facts.Subject.Name, Causes: v.Causes},
		}
	}
	return r
}

func annotate(v *review.Verdict) *annotations {
	a := &annotations{Verdict: v.Kind, Reason: v.Reason, Class: v.Facts.Class, Exempt: v.Facts.Exempt}
	if v.Admits() {
		a.Message = v.Message
	}
	if release := v.Facts.Release; release != nil {
		a.Release = release.Namespace + "/" + release.Name
	}
	return a
}

// refuse answers a review that was not judged. Its code is never below 400: the
// API server reads a lower one with allowed=false as an error of ours.
func refuse(uid types.UID, code int32, reason metav1.StatusReason, message string) response {
	return response{UID: uid, Status: &metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	}}
}

func write(w http.ResponseWriter, r response) error {
	w.Header().Set("Content-Type", "application/json")
	body, err := json.Marshal(answer{APIVersion: reviewAPIVersion, Kind: reviewKind, Response: r})
	if err != nil {
		return err
	}
	_, err = w.Write(body)
	return err
}
