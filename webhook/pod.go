package webhook

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-logr/logr"

	"github.com/cozystack/affinityclass/webhook/review"
)

// Config is what the handlers work with.
type Config struct {
	Reviewer *review.Reviewer
	// Labels are the derived labels that are this server's to set on Pods.
	Labels   review.LabelSet
	Recorder Recorder
	Metrics  *Metrics
	Limits   Limits
	// Access decides how much of a preview a user is shown; nil: there are no previews.
	Access Access
	// Load is shared by all paths of a server; nil makes one for the path alone.
	Load *Load
	Log  logr.Logger
}

// Recorder hears of each verdict of a broken or unreadable contract, and apart from
// that of each that accepts a value with weights, unless it was a dry run, to make
// Events of it. It must not block: it is called within the
// review.
type Recorder interface {
	Record(verdict *review.Verdict)
	RecordWeights(verdict *review.Verdict)
}

var (
	pods       = resource{Version: "v1", Resource: "pods"}
	errNotAPod = errors.New("only pods are judged here, on CREATE and on an UPDATE of their scheduling gates or their binary value")
)

// ValidatePod answers with the verdict on the final Pod, in namespaces of the
// mode. The mode comes with the path, not from a read of the namespace: it is the
// one by which the API server selected this webhook, at this very moment.
func ValidatePod(config Config, mode review.Mode) http.Handler {
	responder := responder{&config}
	return newHandler(&config, previewing(&config, func(ctx context.Context, req *request[review.Pod]) (response, error) {
		if req.Resource != pods || req.Subresource != "" || req.Object == nil || req.Operation != opCreate && req.OldObject == nil {
			return response{}, errNotAPod
		}
		start := time.Now()
		asked := podRequest(req, mode, start)
		verdict := review.Verdict{Kind: review.NotGoverned, Reason: review.Unchanged}
		switch req.Operation {
		case opCreate:
			verdict = config.Reviewer.Pod(ctx, asked)
		case opUpdate:
			verdict = config.Reviewer.Update(ctx, asked, req.OldObject)
		}
		responder.tell(told{req.UID, "pods", req.UserInfo.Username, time.Since(start)}, &verdict)
		return respond(req.UID, &verdict), nil
	}))
}

func podRequest(req *request[review.Pod], mode review.Mode, now time.Time) *review.Request {
	return &review.Request{
		Namespace: req.Namespace, Pod: *req.Object, Creator: req.UserInfo, DryRun: req.DryRun, Mode: mode, Now: now,
	}
}

// MutatePod answers with the patch of derived labels and of the terms that enforce
// the Pod's binary value; it never refuses a Pod.
func MutatePod(config Config) http.Handler {
	return newHandler(&config, judging(&config, func(ctx context.Context, req *request[review.Pod]) (response, error) {
		if req.Resource != pods || req.Subresource != "" || req.Object == nil || req.Operation != opCreate {
			return response{}, errNotAPod
		}
		asked := podRequest(req, "", time.Now())
		ops := append(review.Terms(asked), config.Reviewer.Labels(ctx, asked, config.Labels)...)
		return patched(&config, req.UID, ops), nil
	}))
}
