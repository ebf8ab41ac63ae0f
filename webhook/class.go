package webhook

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/cozystack/affinityclass/webhook/review"
)

var (
	classes      = resource{Group: "cozystack.io", Version: "v1alpha1", Resource: "affinityclasses"}
	errNotAClass = errors.New("only affinityclasses are judged here, on CREATE, UPDATE and DELETE")
)

// ValidateClass answers with the rules of an AffinityClass, and with who uses it
// when it is to be deleted.
func ValidateClass(config Config) http.Handler {
	responder := responder{&config}
	return newHandler(&config, judging(&config, func(ctx context.Context, req *request[review.AffinityClass]) (response, error) {
		if req.Resource != classes || req.Subresource != "" || req.Object == nil && req.OldObject == nil {
			return response{}, errNotAClass
		}
		start := time.Now()
		asked := &review.ClassRequest{Object: req.Object, Old: req.OldObject, DryRun: req.DryRun}
		if req.Operation == opDelete {
			asked.Object = nil
		}
		verdict := config.Reviewer.Class(ctx, asked)
		responder.tell(told{req.UID, classes.Resource, req.UserInfo.Username, time.Since(start)}, &verdict)
		return respond(req.UID, &verdict), nil
	}))
}
