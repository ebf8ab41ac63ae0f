package main

import (
	"context"
	"strconv"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
)

// Whatever is applied is applied by the server unless the spec says otherwise, and
// takes fields over from other managers, as helm-controller does.

func (a *attempt) install(ctx context.Context) error {
	spec := a.release.GetInstall()
	install := action.NewInstall(a.helm)
	install.ReleaseName = releaseName(a.release)
	install.Namespace = a.release.GetReleaseNamespace()
	install.CreateNamespace = spec.CreateNamespace && a.release.Spec.TargetNamespace != ""
	install.ServerSideApply = spec.ServerSideApply == nil || *spec.ServerSideApply
	install.ForceConflicts = install.ServerSideApply
	install.TakeOwnership = !spec.DisableTakeOwnership
	install.Replace = spec.Replace
	install.SkipCRDs = spec.SkipCRDs || spec.CRDs == v2.Skip
	install.DisableHooks = spec.DisableHooks
	install.DisableOpenAPIValidation = spec.DisableOpenAPIValidation
	install.SkipSchemaValidation = spec.DisableSchemaValidation
	install.Timeout = spec.GetTimeout(a.release.GetTimeout()).Duration
	install.WaitForJobs = !spec.DisableWaitForJobs
	install.WaitStrategy, install.WaitOptions = waitStrategy(a.release, spec.DisableWait), waitOptions(ctx)
	install.PostRenderer, install.PostRenderStrategy = labeller{a.release}, postRenderStrategy(a.release)
	_, err := install.RunWithContext(ctx, a.chart, a.values)
	return err
}

func (a *attempt) upgrade(ctx context.Context, last *helmrelease.Release) error {
	spec := a.release.GetUpgrade()
	upgrade := action.NewUpgrade(a.helm)
	upgrade.Namespace = a.release.GetReleaseNamespace()
	serverSide := serverSide(spec.ServerSideApply, last)
	upgrade.ServerSideApply = strconv.FormatBool(serverSide)
	upgrade.ForceConflicts = serverSide
	upgrade.ForceReplace = spec.Force && !serverSide
	upgrade.TakeOwnership = !spec.DisableTakeOwnership
	upgrade.ResetValues, upgrade.ReuseValues = !spec.PreserveValues, spec.PreserveValues
	upgrade.MaxHistory = a.release.GetMaxHistory()
	upgrade.CleanupOnFail = spec.CleanupOnFail
	upgrade.DisableHooks = spec.DisableHooks
	upgrade.DisableOpenAPIValidation = spec.DisableOpenAPIValidation
	upgrade.SkipSchemaValidation = spec.DisableSchemaValidation
	upgrade.Timeout = spec.GetTimeout(a.release.GetTimeout()).Duration
	upgrade.WaitForJobs = !spec.DisableWaitForJobs
	upgrade.WaitStrategy, upgrade.WaitOptions = waitStrategy(a.release, spec.DisableWait), waitOptions(ctx)
	upgrade.PostRenderer, upgrade.PostRenderStrategy = labeller{a.release}, postRenderStrategy(a.release)
	_, err := upgrade.RunWithContext(ctx, releaseName(a.release), a.chart, a.values)
	return err
}

func (a *attempt) rollback(ctx context.Context, to *helmrelease.Release) error {
	spec := a.release.GetRollback()
	rollback := action.NewRollback(a.helm)
	rollback.Version = to.Version
	serverSide := serverSide(spec.ServerSideApply, to)
	rollback.ServerSideApply = strconv.FormatBool(serverSide)
	rollback.ForceConflicts = serverSide
	rollback.ForceReplace = spec.Force && !serverSide
	rollback.MaxHistory = a.release.GetMaxHistory()
	rollback.CleanupOnFail = spec.CleanupOnFail
	rollback.DisableHooks = spec.DisableHooks
	rollback.Timeout = spec.GetTimeout(a.release.GetTimeout()).Duration
	rollback.WaitForJobs = !spec.DisableWaitForJobs
	rollback.WaitStrategy, rollback.WaitOptions = waitStrategy(a.release, spec.DisableWait), waitOptions(ctx)
	return rollback.Run(releaseName(a.release))
}

// serverSide resolves "auto": the method by which the given revision was applied.
func serverSide(mode v2.ServerSideApplyMode, revision *helmrelease.Release) bool {
	switch mode {
	case v2.ServerSideApplyEnabled:
		return true
	case v2.ServerSideApplyDisabled:
		return false
	}
	return revision.ApplyMethod == string(helmrelease.ApplyMethodServerSideApply)
}

func waitStrategy(release *v2.HelmRelease, disabled bool) kube.WaitStrategy {
	switch {
	case disabled:
		return kube.HookOnlyStrategy
	case release.GetWaitStrategy() == v2.WaitStrategyLegacy:
		return kube.LegacyStrategy
	}
	return kube.StatusWatcherStrategy
}

func waitOptions(ctx context.Context) []kube.WaitOption {
	return []kube.WaitOption{kube.WithWaitContext(ctx)}
}
