package webhook

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/webhook/review"
)

var (
	releases      = resource{Group: "helm.toolkit.fluxcd.io", Version: "v2", Resource: "helmreleases"}
	errNotRelease = errors.New("only helmreleases are judged here, on CREATE and UPDATE")
)

// MutateRelease answers with the patch of what is derived for a release; it never
// refuses one.
func MutateRelease(config Config) http.Handler {
	return newHandler(&config, judging(&config, func(ctx context.Context, req *request[review.HelmRelease]) (response, error) {
		asked, err := releaseRequest(req)
		if err != nil {
			return response{}, err
		}
		return patched(&config, req.UID, config.Reviewer.CompleteRelease(ctx, asked)), nil
	}))
}

// ValidateRelease answers with the verdict on what a release asks for.
func ValidateRelease(config Config) http.Handler {
	responder := responder{&config}
	return newHandler(&config, judging(&config, func(ctx context.Context, req *request[review.HelmRelease]) (response, error) {
		asked, err := releaseRequest(req)
		if err != nil {
			return response{}, err
		}
		start := time.Now()
		verdict := config.Reviewer.Release(ctx, asked)
		responder.tell(told{req.UID, releases.Resource, req.UserInfo.Username, time.Since(start)}, &verdict)
		return respond(req.UID, &verdict), nil
	}))
}

func releaseRequest(req *request[review.HelmRelease]) (*review.ReleaseRequest, error) {
	created := req.Operation == opCreate
	if req.Resource != releases || req.Subresource != "" || req.Object == nil || !created && (req.Operation != opUpdate || req.OldObject == nil) {
		return nil, errNotRelease
	}
	asked := &review.ReleaseRequest{Namespace: req.Namespace, Object: req.Object, Old: req.OldObject, DryRun: req.DryRun}
	if created {
		asked.Old = nil
	}
	return asked, nil
}

// patched is an answer that lets the object pass with a patch.
func patched(config *Config, uid types.UID, ops []review.PatchOp) response {
	answer := response{UID: uid, Allowed: true}
	if len(ops) == 0 {
		return answer
	}
	patch, err := json.Marshal(ops, json.Deterministic(true))
	if err != nil {
		config.Log.Error(err, "patch not made", "uid", uid)
		return answer
	}
	answer.Patch, answer.PatchType = patch, "JSONPatch"
	return answer
}
