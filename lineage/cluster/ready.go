package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// An API server answers before it has come up: until it has read all roles it
// forbids what it will allow, and until it has read all definitions it lists
// fewer kinds than it will serve. So neither answer is taken for a lasting one
// unless it was given after the API server had called itself ready.

// readyPace is the least time between two questions whether it is ready.
const readyPace = 100 * time.Millisecond

func newReadiness() *flight.Group[struct{}, struct{}] {
	return flight.New[struct{}, struct{}](flight.Options{Pace: readyPace})
}

// Ready asks the API server, after the call began, whether it has come up. Every
// user may ask that, by a role that each cluster has.
func (r *Reader) Ready(ctx context.Context) error {
	_, err := r.ready.Do(ctx, struct{}{}, flight.Now(), func(ctx context.Context) (struct{}, error) {
		return struct{}{}, r.kinds.client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	})
	if err != nil {
		// Its words, not the error: it may be a refusal too, of this question.
		return errors.New("the API server is not ready: " + err.Error())
	}
	return nil
}

// confirm reads once more what was forbidden, now that the API server is ready.
func (r *Reader) confirm(ctx context.Context, found resource, ref lineage.Ref, read reading) reading {
	if !apierrors.IsForbidden(read.err) {
		return read
	}
	if err := r.Ready(ctx); err != nil {
		read.err = fmt.Errorf("forbidden, but %w", err)
		return read
	}
	return r.fetch(ctx, found, ref)
}
