package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	"helm.sh/helm/v4/pkg/release/common"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var (
	errExhausted = errors.New("no retries are left")
	errNotStored = errors.New("nothing was stored")
	errAgain     = errors.New("to be tried again")
)

// run does one step after the other until nothing is left to do, a step comes up
// a second time, or a failure has been taken back.
func (a *attempt) run(ctx context.Context) (reconcile.Result, error) {
	released := false
	for {
		revisions, err := a.revisions()
		if err != nil {
			return reconcile.Result{}, err
		}
		next := a.next(revisions)
		switch {
		case next == stepNone:
			a.settle(revisions)
			return reconcile.Result{RequeueAfter: a.release.GetRequeueAfter()}, nil
		case next == stepStop:
			return a.stop()
		case next.releases() && released:
			return a.again()
		}
		if err := a.do(ctx, next, revisions); err != nil {
			return reconcile.Result{}, err
		}
		released = released || next.releases()
		if next.remediates() {
			return a.afterRemediation()
		}
	}
}

// do does a step and records how it went. Its error means that the step left no
// trace in Helm's storage, so that it is simply tried again.
func (a *attempt) do(ctx context.Context, next step, revisions []*helmrelease.Release) error {
	progress := fmt.Sprintf("Running '%s' action with timeout of %s", next, a.release.GetTimeout().Duration)
	mark(a.release, meta.ReconcilingCondition, yes(meta.ProgressingReason, progress))
	if next.releases() {
		mark(a.release, meta.ReadyCondition, unknown(meta.ProgressingReason, progress))
		unmark(a.release, v2.RemediatedCondition)
	}
	if err := a.status.write(ctx, a.release); err != nil {
		return err
	}
	switch next {
	case stepInstall:
		return a.doRelease(v2.ReleaseActionInstall, revisions, a.install(ctx))
	case stepUpgrade:
		return a.doRelease(v2.ReleaseActionUpgrade, revisions, a.upgrade(ctx, revisions[0]))
	case stepUnlock:
		return a.unlock(revisions[0])
	}
	return a.remediate(ctx, next, revisions)
}

// doRelease records the outcome of an install or an upgrade. A failure counts only
// when it has left a revision behind.
func (a *attempt) doRelease(did v2.ReleaseAction, before []*helmrelease.Release, failed error) error {
	status := &a.release.Status
	status.LastAttemptedReleaseAction = did
	a.forced = false
	after, err := a.revisions()
	if err != nil {
		return errors.Join(failed, err)
	}
	recordHistory(a.release, after, did)
	reasons := reasonsOf(did)
	if failed == nil {
		a.conclude(yes(reasons.succeeded, reasons.success(after[0])))
		return nil
	}
	message := fmt.Sprintf("Helm %s failed for release %s/%s with chart %s@%s: %s", did, a.release.GetReleaseNamespace(),
		releaseName(a.release), a.chart.Name(), a.chart.Metadata.Version, strings.TrimSpace(failed.Error()))
	status.Failures++
	a.conclude(no(reasons.failed, message))
	a.warn(a.release, reasons.failed, message)
	if len(after) == 0 || len(before) > 0 && after[0].Version == before[0].Version {
		return fmt.Errorf("%w: %w", errNotStored, failed)
	}
	if remediation := a.release.GetActiveRemediation(); did == v2.ReleaseActionInstall {
		status.InstallFailures++
	} else if remediation != nil {
		status.UpgradeFailures++
	}
	return nil
}

// unlock makes a failure of an action that was interrupted: fluxlike ended while
// Helm was at work.
func (a *attempt) unlock(pending *helmrelease.Release) error {
	was := pending.Info.Status
	pending.SetStatus(common.StatusFailed, fmt.Sprintf("Release unlocked from stale '%s' state", was))
	if err := a.helm.Releases.Update(pending); err != nil {
		return fmt.Errorf("unlock Helm release %s: %w", pending.Name, err)
	}
	a.conclude(no("PendingRelease", fmt.Sprintf("Unlocked Helm release %s in %s state", fullName(pending), was)))
	return nil
}
