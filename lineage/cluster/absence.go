package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// missing answers for a kind that was none a moment ago; nil is to ask afresh. A
// remembered miss makes a Pod wait, which is safe, but for releases it would let
// one in: that there are none at all is asked each time, by a call that costs
// little and that all who wait share.
func (k *kinds) missing(ctx context.Context, kind schema.GroupKind) error {
	if kind != lineage.HelmRelease {
		return lineage.ErrNoKind
	}
	absent, err := k.absences.Do(ctx, struct{}{}, flight.Now(), k.withoutReleases)
	switch {
	case err != nil:
		return fmt.Errorf("ask whether releases are served: %w", err)
	case absent:
		return lineage.ErrNoKind
	}
	return nil
}

// withoutReleases asks an API server that has come up whether it serves the group.
func (k *kinds) withoutReleases(ctx context.Context) (bool, error) {
	if err := k.reader.Ready(ctx); err != nil {
		return false, err
	}
	err := k.client.RESTClient().Get().AbsPath("/apis/" + lineage.HelmRelease.Group).Do(ctx).Error()
	k.reader.observer.LiveRead(Discovery, result(err))
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}
