package webhook

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/webhook/review"
)

const reviewAPIVersion, reviewKind = "admission.k8s.io/v1", "AdmissionReview"

// envelope is the part of an AdmissionReview that is read. Decoding passes over
// everything else without keeping it, and refuses a name that stands twice in
// one object: two readers of such a text could see two objects.
type envelope[T any] struct {
	APIVersion string      `json:"apiVersion"`
	Kind       string      `json:"kind"`
	Request    *request[T] `json:"request"`
}

// request is a review's request about an object of which T is the part judged.
type request[T any] struct {
	UID         types.UID      `json:"uid"`
	Resource    resource       `json:"resource"`
	Subresource string         `json:"subResource"`
	Namespace   string         `json:"namespace"`
	Operation   string         `json:"operation"`
	UserInfo    review.Creator `json:"userInfo"`
	Object      *T             `json:"object"`
	OldObject   *T             `json:"oldObject"`
	DryRun      bool           `json:"dryRun"`
}

type resource struct {
	Group    string `json:"group"`
	Version  string `json:"version"`
	Resource string `json:"resource"`
}

// The operations that are judged.
const (
	opCreate = "CREATE"
	opUpdate = "UPDATE"
	opDelete = "DELETE"
)

var errNotAReview = errors.New("the body is not an " + reviewAPIVersion + " " + reviewKind + " with a request and a uid")

// decode reads one AdmissionReview. When it fails after the request's uid could
// be told, that uid comes with the error, so that the answer can be a review.
func decode[T any](body []byte) (*request[T], error) {
	var in envelope[T]
	if err := json.Unmarshal(body, &in); err != nil {
		return &request[T]{UID: uidOf(body)}, fmt.Errorf("decode %s: %w", reviewKind, err)
	}
	if in.APIVersion != reviewAPIVersion || in.Kind != reviewKind || in.Request == nil || in.Request.UID == "" {
		return &request[T]{}, errNotAReview
	}
	return in.Request, nil
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
