package main

import (
	"context"
	"fmt"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"helm.sh/helm/v4/pkg/action"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// delete uninstalls what the release has installed and lets it go. A suspended
// release leaves its objects behind.
func (r *reconciler) delete(ctx context.Context, release *v2.HelmRelease) error {
	if !controllerutil.ContainsFinalizer(release, v2.HelmReleaseFinalizer) {
		return nil
	}
	if !release.Spec.Suspend && release.Spec.KubeConfig == nil {
		helm, err := r.helmFor(release)
		if err != nil {
			return err
		}
		if err := uninstall(ctx, helm, release); err != nil {
			r.warn(release, v2.UninstallFailedReason, err.Error())
			return err
		}
	}
	before := release.DeepCopy()
	controllerutil.RemoveFinalizer(release, v2.HelmReleaseFinalizer)
	err := r.client.Patch(ctx, release, client.MergeFrom(before), client.FieldOwner(fieldManager))
	return client.IgnoreNotFound(err)
}

func uninstall(ctx context.Context, helm *action.Configuration, release *v2.HelmRelease) error {
	spec := release.GetUninstall()
	uninstall := action.NewUninstall(helm)
	uninstall.Timeout = spec.GetTimeout(release.GetTimeout()).Duration
	uninstall.DisableHooks = spec.DisableHooks
	uninstall.KeepHistory = spec.KeepHistory
	uninstall.DeletionPropagation = spec.GetDeletionPropagation()
	uninstall.IgnoreNotFound = true
	uninstall.WaitStrategy = waitStrategy(release, spec.DisableWait)
	uninstall.WaitOptions = waitOptions(ctx)
	if _, err := uninstall.Run(releaseName(release)); err != nil {
		return fmt.Errorf("Helm uninstall of release %s/%s failed: %w", release.GetReleaseNamespace(), releaseName(release), err)
	}
	return nil
}
