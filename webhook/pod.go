package webhook

import (
	"context"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
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
	Log      logr.Logger
}

// Recorder hears of each refusal that was not a dry run, to make Events of it.
// It must not block: it is called within the review.
type Recorder interface {
	Refused(verdict *review.Verdict)
}

// ValidatePod answers with the verdict on the final Pod.
func ValidatePod(config Config) http.Handler {
	responder := responder{&config}
	return newHandler(&config, func(ctx context.Context, req *request) response {
		start := time.Now()
		verdict := config.Reviewer.Pod(ctx, req.review())
		responder.tell(req, &verdict, time.Since(start))
		return respond(req.UID, &verdict)
	})
}

// MutatePod answers with the patch of derived labels; it never refuses a Pod.
func MutatePod(config Config) http.Handler {
	return newHandler(&config, func(ctx context.Context, req *request) response {
		answer := response{UID: req.UID, Allowed: true}
		ops := config.Reviewer.Labels(ctx, req.review(), config.Labels)
		if len(ops) == 0 {
			return answer
		}
		patch, err := json.Marshal(ops, json.Deterministic(true))
		if err != nil {
			config.Log.Error(err, "labels not set", "uid", req.UID, "namespace", req.Namespace)
			return answer
		}
		answer.Patch, answer.PatchType = patch, "JSONPatch"
		return answer
	})
}
