package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// attempt is one reconciliation of a release whose chart and values are known.
type attempt struct {
	*reconciler
	release *v2.HelmRelease
	chart   *chart.Chart
	values  map[string]any
	helm    *action.Configuration
	status  *statusWriter
	// forced is a request, by annotation, to act where nothing else asks for it.
	forced bool
}

// prepare reads what an attempt needs and records on the release what is about to
// be attempted. A failure is recorded as its Ready condition.
func (r *reconciler) prepare(ctx context.Context, release *v2.HelmRelease) (*attempt, error) {
	fail := func(reason string, err error) (*attempt, error) {
		mark(release, meta.ReadyCondition, no(reason, err.Error()))
		r.warn(release, reason, err.Error())
		return nil, fmt.Errorf("%s: %w", reason, err)
	}
	if err := unsupported(release); err != nil {
		_, err := fail("Unsupported", err)
		return nil, reconcile.TerminalError(err)
	}
	values, err := r.composeValues(ctx, release)
	if err != nil {
		return fail("ValuesError", err)
	}
	loaded, err := r.loadChart(release)
	if err != nil {
		return fail(v2.ArtifactFailedReason, err)
	}
	helm, err := r.helmFor(release)
	if err != nil {
		return fail("FactoryError", err)
	}
	recordAttempt(release, loaded, values)
	forced := v2.ShouldHandleForceRequest(release)
	return &attempt{reconciler: r, release: release, chart: loaded, values: values, helm: helm, forced: forced}, nil
}

// unsupported names the first field that would change the objects and that
// fluxlike does not know.
func unsupported(release *v2.HelmRelease) error {
	switch {
	case len(release.Spec.PostRenderers) > 0:
		return errors.New("spec.postRenderers is not supported")
	case release.Spec.Chart != nil && len(release.Spec.Chart.Spec.ValuesFiles) > 0:
		return errors.New("spec.chart.spec.valuesFiles is not supported")
	}
	return nil
}

// recordAttempt forgets the failures of before when something has changed since.
func recordAttempt(release *v2.HelmRelease, loaded *chart.Chart, values map[string]any) {
	status, config := &release.Status, digest(values)
	reset := v2.ShouldHandleResetRequest(release)
	if reset || status.LastAttemptedGeneration != release.Generation ||
		status.LastAttemptedRevision != loaded.Metadata.Version || status.LastAttemptedConfigDigest != config {
		status.ClearFailures()
	}
	status.LastAttemptedGeneration = release.Generation
	status.LastAttemptedRevision = loaded.Metadata.Version
	status.LastAttemptedConfigDigest = config
	status.StorageNamespace = release.GetStorageNamespace()
}

// digest of anything that JSON can say. Maps are written in the order of their
// keys, and numbers alike whether they come from YAML or from Helm's storage.
func digest(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(text))
}
