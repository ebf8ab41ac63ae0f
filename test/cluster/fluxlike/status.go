package main

import (
	"context"
	"fmt"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// statusWriter writes the status of one HelmRelease, several times in an attempt.
type statusWriter struct {
	client  client.Client
	written *v2.HelmRelease
}

// write shows how far the attempt has come.
func (w *statusWriter) write(ctx context.Context, release *v2.HelmRelease) error {
	if token, ok := meta.ReconcileAnnotationValue(release.GetAnnotations()); ok {
		release.Status.SetLastHandledReconcileRequest(token)
	}
	// The answer goes to a copy: the attempt goes on with the spec it began with,
	// and must not call a later one observed.
	patched := release.DeepCopy()
	err := w.client.Status().Patch(ctx, patched, client.MergeFrom(w.written), client.FieldOwner(fieldManager))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of HelmRelease %s: %w", client.ObjectKeyFromObject(release), err)
	}
	w.written.Status = *release.Status.DeepCopy()
	return nil
}

// writeFinal is write for an attempt that has come to its end, good or bad.
func (w *statusWriter) writeFinal(ctx context.Context, release *v2.HelmRelease) error {
	release.Status.ObservedGeneration = w.written.Generation
	return w.write(ctx, release)
}

func yes(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

func no(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

func unknown(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reason, Message: message}
}

func mark(release *v2.HelmRelease, kind string, condition metav1.Condition) {
	condition.Type = kind
	condition.ObservedGeneration = release.Generation
	apimeta.SetStatusCondition(&release.Status.Conditions, condition)
}

func unmark(release *v2.HelmRelease, kind string) {
	apimeta.RemoveStatusCondition(&release.Status.Conditions, kind)
}

func (r *reconciler) warn(release *v2.HelmRelease, reason, message string) {
	r.events.Eventf(release, nil, corev1.EventTypeWarning, reason, "Reconcile", "%s", message)
}

// recordHistory keeps the revisions that Helm has stored, the newest first, down
// to the last one that was good.
func recordHistory(release *v2.HelmRelease, revisions []*helmrelease.Release, last v2.ReleaseAction) {
	history := v2.Snapshots{}
	for _, revision := range revisions {
		snapshot := &v2.Snapshot{
			APIVersion:    v2.CurrentSnapshotAPIVersion,
			Digest:        digest(revision),
			Name:          revision.Name,
			Namespace:     revision.Namespace,
			Version:       revision.Version,
			Status:        revision.Info.Status.String(),
			ChartName:     revision.Chart.Name(),
			ChartVersion:  revision.Chart.Metadata.Version,
			AppVersion:    revision.Chart.AppVersion(),
			ConfigDigest:  configDigest(revision),
			FirstDeployed: metav1.NewTime(revision.Info.FirstDeployed),
			LastDeployed:  metav1.NewTime(revision.Info.LastDeployed),
			Deleted:       metav1.NewTime(revision.Info.Deleted),
		}
		history = append(history, snapshot)
	}
	if newest := history.Latest(); newest != nil {
		newest.Action = last
	}
	history.Truncate(true)
	release.Status.History = history
}

func configDigest(revision *helmrelease.Release) string {
	if len(revision.Config) == 0 {
		return digest(map[string]any{})
	}
	return digest(revision.Config)
}
