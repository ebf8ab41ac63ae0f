package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Time between two attempts: it doubles from the one to the other.
const (
	minBackoff = 500 * time.Millisecond
	maxBackoff = 15 * time.Second
)

// dependencyInterval is the time after which unready dependencies are looked at
// again.
const dependencyInterval = time.Second

var errNotReady = errors.New("dependency is not ready")

type reconciler struct {
	client client.Client
	// reader asks the API server: a cache may not yet have the failure counts
	// that the last attempt has written.
	reader client.Reader
	events events.EventRecorder
	config *rest.Config
	charts string
}

func (r *reconciler) setUp(mgr ctrl.Manager, concurrent int) error {
	requested := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		old, _ := meta.ReconcileAnnotationValue(e.ObjectOld.GetAnnotations())
		now, ok := meta.ReconcileAnnotationValue(e.ObjectNew.GetAnnotations())
		return ok && old != now
	}}
	return ctrl.NewControllerManagedBy(mgr).
		For(&v2.HelmRelease{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, requested))).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrent,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff),
		}).
		Complete(r)
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	release := &v2.HelmRelease{}
	if err := r.reader.Get(ctx, request.NamespacedName, release); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	switch {
	case !release.DeletionTimestamp.IsZero():
		return reconcile.Result{}, r.delete(ctx, release)
	case release.Spec.Suspend:
		return reconcile.Result{}, nil
	}
	if err := r.addFinalizer(ctx, release); err != nil {
		return reconcile.Result{}, err
	}
	return r.deploy(ctx, release)
}

func (r *reconciler) addFinalizer(ctx context.Context, release *v2.HelmRelease) error {
	before := release.DeepCopy()
	if !controllerutil.AddFinalizer(release, v2.HelmReleaseFinalizer) {
		return nil
	}
	if err := r.client.Patch(ctx, release, client.MergeFrom(before), client.FieldOwner(fieldManager)); err != nil {
		return fmt.Errorf("add the finalizer to HelmRelease %s: %w", client.ObjectKeyFromObject(release), err)
	}
	return nil
}

// deploy brings the release to what its spec asks for, and writes its status.
func (r *reconciler) deploy(ctx context.Context, release *v2.HelmRelease) (reconcile.Result, error) {
	status := &statusWriter{client: r.client, written: release.DeepCopy()}
	if release.Spec.KubeConfig != nil {
		mark(release, meta.ReadyCondition, unknown("RemoteCluster", "deploys to another cluster, which fluxlike does not reach"))
		return reconcile.Result{}, status.writeFinal(ctx, release)
	}
	result, err := r.attempt(ctx, release, status)
	// What is tried again has not been observed to its end.
	write := status.writeFinal
	if err != nil && !errors.Is(err, reconcile.TerminalError(nil)) {
		write = status.write
	}
	if failed := write(ctx, release); failed != nil {
		return reconcile.Result{}, errors.Join(err, failed)
	}
	if errors.Is(err, errNotReady) {
		return reconcile.Result{RequeueAfter: dependencyInterval}, nil
	}
	return result, err
}

func (r *reconciler) attempt(ctx context.Context, release *v2.HelmRelease, status *statusWriter) (reconcile.Result, error) {
	mark(release, meta.ReconcilingCondition, yes(meta.ProgressingReason, "Fulfilling prerequisites"))
	if err := r.checkDependencies(ctx, release); err != nil {
		mark(release, meta.ReadyCondition, no(v2.DependencyNotReadyReason, err.Error()))
		return reconcile.Result{}, err
	}
	a, err := r.prepare(ctx, release)
	if err != nil {
		return reconcile.Result{}, err
	}
	a.status = status
	return a.run(ctx)
}

// checkDependencies returns an error that names the first dependency which is not
// ready at its current generation.
func (r *reconciler) checkDependencies(ctx context.Context, release *v2.HelmRelease) error {
	for _, reference := range release.GetDependsOn() {
		key := client.ObjectKey{Namespace: reference.Namespace, Name: reference.Name}
		if key.Namespace == "" {
			key.Namespace = release.Namespace
		}
		dependency := &v2.HelmRelease{}
		if err := r.reader.Get(ctx, key, dependency); err != nil {
			return fmt.Errorf("%w: read %s: %w", errNotReady, key, err)
		}
		if dependency.Status.ObservedGeneration != dependency.Generation ||
			!apimeta.IsStatusConditionTrue(dependency.Status.Conditions, meta.ReadyCondition) {
			return fmt.Errorf("%w: %s", errNotReady, key)
		}
	}
	return nil
}
