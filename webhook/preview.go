package webhook

import (
	"context"
	"runtime/debug"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cozystack/affinityclass/webhook/review"
)

// Access says what a user may see. It must not block longer than ctx.
type Access interface {
	// MayListCluster says whether the user may list the nodes and Pods of the whole
	// cluster; false also when that could not be told.
	MayListCluster(ctx context.Context, user User) bool
}

// User is who sent a request, with all that the API server authorizes by.
type User struct {
	Username string              `json:"username"`
	UID      string              `json:"uid"`
	Groups   []string            `json:"groups"`
	Extra    map[string][]string `json:"extra"`
}

// mostWarnings is how many warnings one answer has.
const mostWarnings = 8

// previewing is judging, and to a dry run that is let in it adds where the Pods could
// land. The answer is complete before: a preview cannot change a verdict, and of a real
// request nothing here is read.
func previewing[T any](config *Config, judge func(context.Context, *request[T]) (response, error)) endpoint {
	return func(ctx context.Context, body []byte) response {
		tried := false
		answer := judging(config, func(ctx context.Context, req *request[T]) (response, error) {
			tried = req.DryRun
			return judge(ctx, req)
		})(ctx, body)
		if tried && answer.Allowed && config.Access != nil {
			room := max(0, mostWarnings-len(answer.Warnings))
			previews := config.preview(ctx, body)
			answer.Warnings = append(answer.Warnings, previews[:min(room, len(previews))]...)
		}
		return answer
	}
}

// preview is what a dry run is told beside its answer. That answer stands whatever
// happens here, and is not late for it: a preview is left out when a review has taken
// most of its time, and one that panics is told and counted.
func (c *Config) preview(ctx context.Context, body []byte) (told []string) {
	defer func() {
		if cause := recover(); cause != nil {
			c.Log.Error(nil, "panic in a preview", "cause", cause, "stack", string(debug.Stack()))
			c.Metrics.failed.WithLabelValues(failPreview).Inc()
			told = []string{"preview: not to be had: the affinity webhook failed on it"}
		}
	}()
	if end, ok := ctx.Deadline(); ok && time.Until(end) < c.Limits.Deadline/3 {
		return []string{"preview: not to be had now: the review itself took long"}
	}
	return c.land(ctx, body)
}

// land reads the review once more, for the whole object: nothing else needs it. An
// update of a Pod is none: where it lands was decided.
func (c *Config) land(ctx context.Context, body []byte) []string {
	var in struct {
		Request struct {
			Resource  resource       `json:"resource"`
			Operation string         `json:"operation"`
			Namespace string         `json:"namespace"`
			UserInfo  User           `json:"userInfo"`
			Object    jsontext.Value `json:"object"`
		} `json:"request"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil // it was judged, so it can be read
	}
	req := &in.Request
	if req.Resource == pods && req.Operation != opCreate {
		return nil
	}
	return c.Reviewer.Preview(&review.Draft{
		Namespace: req.Namespace, Object: req.Object, All: c.Access.MayListCluster(ctx, req.UserInfo),
	})
}
