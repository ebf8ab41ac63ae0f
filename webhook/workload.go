package webhook

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/cozystack/affinityclass/webhook/review"
)

// workloads are what the chart's rules send, ReplicaSets in dry runs alone. Anything else is refused: a resource
// is a label of metrics, and whoever reaches the port can name one.
func workloads() []resource {
	return []resource{
		{"apps", "v1", "daemonsets"}, {"apps", "v1", "deployments"}, {"apps", "v1", "replicasets"}, {"apps", "v1", "statefulsets"},
		{"batch", "v1", "cronjobs"}, {"batch", "v1", "jobs"},
	}
}

// ValidateWorkload warns about a Pod template that would break its class, or whose
// binary value is malformed or will be. It never refuses: a template is not yet the Pod, and the Pod will be judged.
func ValidateWorkload(config Config, mode review.Mode) http.Handler {
	responder := responder{&config}
	return newHandler(&config, previewing(&config, func(ctx context.Context, req *request[jsontext.Value]) (response, error) {
		if req.Object == nil || req.Subresource != "" || !slices.Contains(workloads(), req.Resource) {
			return response{}, review.ErrNoTemplate
		}
		asked, err := review.NewTemplate(req.Namespace, req.Resource.Group, *req.Object)
		if err != nil {
			return response{}, err
		}
		asked.Mode, asked.DryRun = mode, req.DryRun
		start := time.Now()
		verdict := config.Reviewer.Template(ctx, asked)
		config.Metrics.reviewed(told{resource: req.Resource.Resource, took: time.Since(start)}, &verdict)
		responder.weighted(&verdict)
		return response{UID: req.UID, Allowed: true, Warnings: verdict.Warnings}, nil
	}))
}
