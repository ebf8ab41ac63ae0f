package webhook

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/webhook/review"
)

const reviewAPIVersion, reviewKind = "admission.k8s.io/v1", "AdmissionReview"

// envelope is the part of an AdmissionReview about a Pod that is read. Decoding
// passes over everything else without keeping it, and refuses a name that
// stands twice in one object: two readers of such a text could see two Pods.
type envelope struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Request    *request `json:"request"`
}

type request struct {
	UID         types.UID      `json:"uid"`
	Resource    resource       `json:"resource"`
	Subresource string         `json:"subResource"`
	Namespace   string         `json:"namespace"`
	Operation   string         `json:"operation"`
	UserInfo    review.Creator `json:"userInfo"`
	Object      *review.Pod    `json:"object"`
	DryRun      bool           `json:"dryRun"`
}

type resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

var (
	errNotAReview = errors.New("the body is not an " + reviewAPIVersion + " " + reviewKind + " with a request and a uid")
	errNotAPod    = errors.New("only pods on CREATE are judged here")
)

// decode reads one AdmissionReview. When it fails after the request's uid could
// be told, that uid comes with the error, so that the answer can be a review.
func decode(body []byte) (*request, error) {
	var in envelope
	if err := json.Unmarshal(body, &in); err != nil {
		return &request{UID: uidOf(body)}, fmt.Errorf("decode %s: %w", reviewKind, err)
	}
	if in.APIVersion != reviewAPIVersion || in.Kind != reviewKind || in.Request == nil || in.Request.UID == "" {
		return &request{}, errNotAReview
	}
	return in.Request, in.Request.validate()
}

func (r *request) validate() error {
	pods := resource{Version: "v1", Resource: "pods"}
	if r.Resource != pods || r.Subresource != "" || r.Operation != "CREATE" || r.Object == nil {
		return errNotAPod
	}
	return nil
}

// uidOf reads the uid alone, whatever the rest of the text is; empty when even
// that cannot be read.
func uidOf(body []byte) types.UID {
	var in struct {
		Request struct {
			UID types.UID `json:"uid"`
		} `json:"request"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return ""
	}
	return in.Request.UID
}

func (r *request) review() *review.Request {
	return &review.Request{
		Namespace: r.Namespace,
		Pod:       *r.Object,
		Creator:   r.UserInfo,
		DryRun:    r.DryRun,
	}
}
