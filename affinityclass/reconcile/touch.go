package reconcile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// How fast releases are touched: each is a write that is reviewed, and one that
// changes something makes Flux upgrade a release.
const (
	touchesPerSecond = 10
	touchesAtOnce    = 10
)

// How long until a part that was touched and still has another class is touched
// again. Its admission may have been refused, or judged by a replica that was
// behind.
const (
	firstPause = time.Second
	maxPause   = 10 * time.Minute
)

// toucher reconciles the parts of one release at a time.
type toucher struct {
	releases Releases
	writer   client.Writer
	now      func() time.Time
	bucket   *rate.Limiter
	pauses   workqueue.TypedRateLimiter[ctrlreconcile.Request]
}

func (c *Children) toucher(writer client.Writer) *toucher {
	return &toucher{
		releases: c.releases, writer: writer, now: time.Now,
		bucket: rate.NewLimiter(touchesPerSecond, touchesAtOnce), pauses: newPauses(),
	}
}

func newPauses() workqueue.TypedRateLimiter[ctrlreconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[ctrlreconcile.Request](firstPause, maxPause)
}

// Reconcile touches the parts that do not have the class of the release, and comes
// back until they have. What is below them follows by their own change.
func (t *toucher) Reconcile(ctx context.Context, req ctrlreconcile.Request) (ctrlreconcile.Result, error) {
	parent, found := t.releases.Release(req.Namespace, req.Name)
	if !found {
		t.pauses.Forget(req)
		return ctrlreconcile.Result{}, nil
	}
	stray := strays(parent, t.releases.Children(req.Namespace, req.Name))
	if len(stray) == 0 {
		t.pauses.Forget(req)
		return ctrlreconcile.Result{}, nil
	}
	var failures []error
	for _, child := range stray[:min(touchesAtOnce, len(stray))] { // others have their turn in between
		if t.bucket.Wait(ctx) != nil {
			return ctrlreconcile.Result{}, nil // the end: who is elected next looks at every parent
		}
		failures = append(failures, t.touch(ctx, child))
	}
	if err := errors.Join(failures...); err != nil {
		return ctrlreconcile.Result{}, err
	}
	return ctrlreconcile.Result{RequeueAfter: t.pauses.When(req)}, nil
}

// touch has a release derived anew: its admission does that.
func (t *toucher) touch(ctx context.Context, release *lineage.Object) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{
		policy.ResolveAnnotation: t.now().UTC().Format(time.RFC3339Nano),
	}}})
	if err != nil {
		return err
	}
	object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: release.Namespace, Name: release.Name}}
	object.SetGroupVersionKind(lineage.HelmRelease.WithVersion("v2"))
	if err := t.writer.Patch(ctx, object, client.RawPatch(types.MergePatchType, patch)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("touch HelmRelease %s/%s: %w", release.Namespace, release.Name, err)
	}
	return nil
}
