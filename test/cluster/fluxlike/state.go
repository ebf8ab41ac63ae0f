package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"helm.sh/helm/v4/pkg/release/common"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage/driver"
)

// step is what an attempt does next.
type step string

const (
	stepNone      step = "none"
	stepUnlock    step = "unlock"
	stepInstall   step = "install"
	stepUpgrade   step = "upgrade"
	stepRollback  step = "rollback"
	stepUninstall step = "uninstall"
	// stepStop is for a release that has failed as often as it may.
	stepStop step = "stop"
)

// releases means the step brings the release nearer to its spec; remediates, that
// it takes a failure back. Of each, an attempt does one.
func (s step) releases() bool   { return s == stepInstall || s == stepUpgrade }
func (s step) remediates() bool { return s == stepRollback || s == stepUninstall }

// revisions are those in Helm's storage, the newest first.
func (a *attempt) revisions() ([]*helmrelease.Release, error) {
	stored, err := a.helm.Releases.History(releaseName(a.release))
	if err != nil && !errors.Is(err, driver.ErrReleaseNotFound) {
		return nil, fmt.Errorf("read the Helm history of HelmRelease %s/%s: %w", a.release.Namespace, a.release.Name, err)
	}
	var revisions []*helmrelease.Release
	for _, revision := range stored {
		if typed, ok := revision.(*helmrelease.Release); ok {
			revisions = append(revisions, typed)
		}
	}
	slices.SortFunc(revisions, func(x, y *helmrelease.Release) int { return cmp.Compare(y.Version, x.Version) })
	return revisions, nil
}

// next decides by what Helm has stored and by how often the release has failed.
func (a *attempt) next(revisions []*helmrelease.Release) step {
	if len(revisions) == 0 || revisions[0].Info.Status == common.StatusUninstalled {
		return a.unlessExhausted(stepInstall, a.release.GetInstall().GetRemediation())
	}
	switch last := revisions[0]; {
	case last.Info.Status.IsPending():
		return stepUnlock
	case last.Info.Status == common.StatusFailed:
		return a.afterFailure()
	case last.Info.Status == common.StatusDeployed && a.inSync(last) && !a.forced:
		return stepNone
	}
	return a.unlessExhausted(stepUpgrade, a.release.GetUpgrade().GetRemediation())
}

func (a *attempt) unlessExhausted(wanted step, remediation v2.Remediation) step {
	if remediation.RetriesExhausted(a.release) && !a.forced {
		return stepStop
	}
	return wanted
}

// inSync compares what is deployed with what is asked for. What was set by hand
// on the objects themselves is not looked at.
func (a *attempt) inSync(deployed *helmrelease.Release) bool {
	metadata := deployed.Chart.Metadata
	if metadata.Name != a.chart.Metadata.Name || metadata.Version != a.chart.Metadata.Version {
		return false
	}
	if a.release.Status.ObservedGeneration != a.release.Generation &&
		a.release.Status.ObservedCommonMetadataDigest != commonMetadataDigest(a.release) {
		return false
	}
	return configDigest(deployed) == a.release.Status.LastAttemptedConfigDigest
}

func commonMetadataDigest(release *v2.HelmRelease) string {
	if release.Spec.CommonMetadata == nil {
		return ""
	}
	return digest(release.Spec.CommonMetadata)
}

// afterFailure tries anew where something has changed or the strategy says so, and
// otherwise takes the failure back, as long as retries are left.
func (a *attempt) afterFailure() step {
	remediation := a.release.GetActiveRemediation()
	if a.release.GetActiveRetry(false) != nil || remediation == nil ||
		remediation.GetFailureCount(a.release) <= 0 || a.forced {
		return stepUpgrade
	}
	if remediation.RetriesExhausted(a.release) && !remediation.MustRemediateLastFailure() {
		return stepStop
	}
	if remediation.GetStrategy() == v2.UninstallRemediationStrategy {
		return stepUninstall
	}
	return stepRollback
}

// lastGood is the newest revision before the current one that was deployed.
func lastGood(revisions []*helmrelease.Release) *helmrelease.Release {
	for _, revision := range revisions[1:] {
		if revision.Info.Status == common.StatusDeployed || revision.Info.Status == common.StatusSuperseded {
			return revision
		}
	}
	return nil
}
