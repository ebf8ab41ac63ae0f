package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Time between two attempts: it doubles from the one to the other.
const (
	minBackoff = 250 * time.Millisecond
	maxBackoff = 10 * time.Second
)

// errRefused means that the API server did not take an object.
var errRefused = errors.New("not created")

type reconciler struct {
	client client.Client
	// reader asks the API server: a cache may not yet have the Pod just created.
	reader client.Reader
	events events.EventRecorder
}

func (r *reconciler) setUp(mgr ctrl.Manager, concurrent int) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(newCluster()).
		Owns(&corev1.Pod{}).
		Owns(&batchv1.Job{}).
		WithOptions(controller.Options{
			MaxConcurrentReconciles: concurrent,
			RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minBackoff, maxBackoff),
		}).
		Complete(r)
}

// Reconcile implements reconcile.Reconciler.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	cluster := newCluster()
	if err := r.reader.Get(ctx, request.NamespacedName, cluster); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	// What a deleted Cluster owns is collected as garbage.
	if cluster.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, nil
	}
	db, err := readDatabase(cluster)
	if err != nil {
		return reconcile.Result{}, reconcile.TerminalError(err)
	}
	pods, err := r.ownedPods(ctx, db)
	if err != nil {
		return reconcile.Result{}, err
	}
	phase, err := r.act(ctx, db, pods)
	now := status{Instances: len(pods), ReadyInstances: countReady(pods), Phase: phase}
	if errors.Is(err, errRefused) {
		now.Phase, now.PhaseReason = phaseRefused, err.Error()
		r.events.Eventf(cluster, nil, corev1.EventTypeWarning, "FailedCreate", "Create", "%s", err.Error())
	}
	return reconcile.Result{}, errors.Join(err, r.tell(ctx, cluster, now))
}

func (r *reconciler) tell(ctx context.Context, cluster *unstructured.Unstructured, now status) error {
	before := cluster.DeepCopy()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&now)
	if err != nil {
		return fmt.Errorf("write the status of Cluster %s: %w", client.ObjectKeyFromObject(cluster), err)
	}
	cluster.Object["status"] = fields
	err = r.client.Status().Patch(ctx, cluster, client.MergeFrom(before))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write the status of Cluster %s: %w", client.ObjectKeyFromObject(cluster), err)
	}
	return nil
}

func (r *reconciler) create(ctx context.Context, object client.Object) error {
	err := r.client.Create(ctx, object)
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("%T %s %w: %w", object, client.ObjectKeyFromObject(object), errRefused, err)
	}
	return err
}

func (r *reconciler) remove(ctx context.Context, object client.Object) error {
	if err := r.client.Delete(ctx, object, client.PropagationPolicy("Background")); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete %T %s: %w", object, client.ObjectKeyFromObject(object), err)
	}
	return nil
}
