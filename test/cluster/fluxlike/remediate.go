package main

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// remediate takes a failed install or upgrade back.
func (a *attempt) remediate(ctx context.Context, next step, revisions []*helmrelease.Release) error {
	if next == stepUninstall {
		err := uninstall(ctx, a.helm, a.release)
		return a.remediated(v2.ReleaseActionUninstallRemediation, v2.UninstallSucceededReason, v2.UninstallFailedReason,
			fmt.Sprintf("Helm uninstall remediation for release %s with chart %s", fullName(revisions[0]), chartName(revisions[0])), err)
	}
	to := lastGood(revisions)
	if to == nil {
		mark(a.release, meta.StalledCondition, yes("MissingRollbackTarget", "Failed to perform remediation: missing target release for rollback"))
		return reconcile.TerminalError(fmt.Errorf("roll back HelmRelease %s/%s: no earlier revision was deployed", a.release.Namespace, a.release.Name))
	}
	err := a.rollback(ctx, to)
	return a.remediated(v2.ReleaseActionRollback, v2.RollbackSucceededReason, v2.RollbackFailedReason,
		fmt.Sprintf("Helm rollback to previous release %s with chart %s", fullName(to), chartName(to)), err)
}

// remediated records a remediation. Ready is not: a release that had to be taken
// back is not what its spec asks for.
func (a *attempt) remediated(did v2.ReleaseAction, succeeded, failed, act string, err error) error {
	condition := yes(succeeded, act+" succeeded")
	if err != nil {
		condition = no(failed, fmt.Sprintf("%s failed: %s", act, strings.TrimSpace(err.Error())))
		a.release.Status.Failures++
		a.warn(a.release, failed, condition.Message)
	}
	mark(a.release, v2.RemediatedCondition, condition)
	mark(a.release, meta.ReadyCondition, no(condition.Reason, condition.Message))
	revisions, readErr := a.revisions()
	if readErr != nil {
		return readErr
	}
	recordHistory(a.release, revisions, did)
	return nil
}

// conclude records an install, an upgrade, or what stands for one.
func (a *attempt) conclude(condition metav1.Condition) {
	mark(a.release, v2.ReleasedCondition, condition)
	mark(a.release, meta.ReadyCondition, condition)
}

// settle records that the release is what its spec asks for, however it came
// there: a rollback to what is asked for now is as good as an upgrade.
func (a *attempt) settle(revisions []*helmrelease.Release) {
	did := a.release.Status.LastAttemptedReleaseAction
	if did == "" {
		did = v2.ReleaseActionUpgrade
	}
	unmark(a.release, v2.RemediatedCondition)
	unmark(a.release, meta.StalledCondition)
	unmark(a.release, meta.ReconcilingCondition)
	recordHistory(a.release, revisions, did)
	a.conclude(yes(reasonsOf(did).succeeded, reasonsOf(did).success(revisions[0])))
	a.release.Status.ObservedCommonMetadataDigest = commonMetadataDigest(a.release)
}

// afterRemediation goes on while retries are left.
func (a *attempt) afterRemediation() (reconcile.Result, error) {
	remediation := a.release.GetActiveRemediation()
	if remediation != nil && remediation.RetriesExhausted(a.release) && !remediation.IsUninstallAfterUpgrade() {
		return a.stop()
	}
	return a.again()
}

// again puts the next attempt off: by the interval of the strategy, or by the
// backoff that an error brings.
func (a *attempt) again() (reconcile.Result, error) {
	if retry := a.release.GetActiveRetry(false); retry != nil {
		mark(a.release, meta.ReconcilingCondition, yes(meta.ProgressingWithRetryReason, "retrying after "+retry.GetRetryInterval().String()))
		return reconcile.Result{RequeueAfter: retry.GetRetryInterval()}, nil
	}
	mark(a.release, meta.ReconcilingCondition, yes(meta.ProgressingWithRetryReason, "retrying"))
	return reconcile.Result{}, fmt.Errorf("HelmRelease %s/%s: %w", a.release.Namespace, a.release.Name, errAgain)
}

// stop gives up until the spec, the chart, the values or an annotation changes.
func (a *attempt) stop() (reconcile.Result, error) {
	var failures int64
	if remediation := a.release.GetActiveRemediation(); remediation != nil {
		failures = remediation.GetFailureCount(a.release)
	}
	message := fmt.Sprintf("Failed to %s after %d attempt(s)", a.release.Status.LastAttemptedReleaseAction, failures)
	unmark(a.release, meta.ReconcilingCondition)
	mark(a.release, meta.StalledCondition, yes("RetriesExceeded", message))
	return reconcile.Result{}, reconcile.TerminalError(fmt.Errorf("HelmRelease %s/%s: %w", a.release.Namespace, a.release.Name, errExhausted))
}

// reasons are how an action is spoken of in conditions and events.
type reasons struct{ act, succeeded, failed string }

func reasonsOf(did v2.ReleaseAction) reasons {
	title := []rune(did)
	title[0] = unicode.ToUpper(title[0])
	return reasons{act: string(did), succeeded: string(title) + "Succeeded", failed: string(title) + "Failed"}
}

func (r reasons) success(revision *helmrelease.Release) string {
	return fmt.Sprintf("Helm %s succeeded for release %s with chart %s", r.act, fullName(revision), chartName(revision))
}

func fullName(revision *helmrelease.Release) string {
	return fmt.Sprintf("%s/%s.v%d", revision.Namespace, revision.Name, revision.Version)
}

func chartName(revision *helmrelease.Release) string {
	return revision.Chart.Name() + "@" + revision.Chart.Metadata.Version
}
