package main

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// act does what can be done now and says in which phase the database is. What
// happens to the Pods and the Job calls it again.
func (r *reconciler) act(ctx context.Context, db *database, pods map[string]*corev1.Pod) (string, error) {
	if len(pods) == 0 {
		if done, err := r.initialise(ctx, db); !done {
			return phaseFirst, err
		}
	}
	if err := r.discard(ctx, db, pods); err != nil {
		return phaseReplicas, err
	}
	first := pods[db.instanceName(1)]
	if first == nil {
		return phaseFirst, r.create(ctx, db.newPod(1))
	}
	if len(pods) == 1 && !isReady(first) {
		return phaseFirst, nil
	}
	missing := false
	for number := 2; number <= db.Spec.Instances; number++ {
		if pods[db.instanceName(number)] != nil {
			continue
		}
		missing = true
		if err := r.create(ctx, db.newPod(number)); err != nil {
			return phaseReplicas, err
		}
	}
	if missing || countReady(pods) < db.Spec.Instances {
		return phaseReplicas, nil
	}
	return r.replaceOne(ctx, db, pods)
}

// initialise tells whether the Job has done its work, and creates it where there
// is none.
func (r *reconciler) initialise(ctx context.Context, db *database) (bool, error) {
	wanted, job := db.newJob(), &batchv1.Job{}
	err := r.reader.Get(ctx, client.ObjectKeyFromObject(wanted), job)
	switch {
	case apierrors.IsNotFound(err):
		return false, r.create(ctx, wanted)
	case err != nil:
		return false, fmt.Errorf("read Job %s: %w", client.ObjectKeyFromObject(wanted), err)
	case job.Status.Succeeded > 0:
		return true, nil
	case !sameSpec(job, wanted) && job.DeletionTimestamp.IsZero():
		return false, r.remove(ctx, job)
	}
	return false, nil
}

// discard deletes Pods that have ended, and those beyond the wanted number.
func (r *reconciler) discard(ctx context.Context, db *database, pods map[string]*corev1.Pod) error {
	wanted := map[string]bool{}
	for number := 1; number <= db.Spec.Instances; number++ {
		wanted[db.instanceName(number)] = true
	}
	for name, pod := range pods {
		ended := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
		if (ended || !wanted[name]) && pod.DeletionTimestamp.IsZero() {
			if err := r.remove(ctx, pod); err != nil {
				return err
			}
		}
	}
	return nil
}

// replaceOne deletes the last Pod whose spec is no longer the wanted one. It is
// called when all are ready, so that one at most is away.
func (r *reconciler) replaceOne(ctx context.Context, db *database, pods map[string]*corev1.Pod) (string, error) {
	for number := db.Spec.Instances; number > 0; number-- {
		pod := pods[db.instanceName(number)]
		if pod != nil && !sameSpec(pod, db.newPod(number)) {
			return phaseReplace, r.remove(ctx, pod)
		}
	}
	return phaseHealthy, nil
}

// ownedPods are the instances, by name. The Job's Pods are not the Cluster's.
func (r *reconciler) ownedPods(ctx context.Context, db *database) (map[string]*corev1.Pod, error) {
	list := &corev1.PodList{}
	if err := r.reader.List(ctx, list, client.InNamespace(db.Namespace), client.MatchingLabels{labelCluster: db.Name}); err != nil {
		return nil, fmt.Errorf("list the Pods of Cluster %s/%s: %w", db.Namespace, db.Name, err)
	}
	pods := map[string]*corev1.Pod{}
	for i := range list.Items {
		if metav1.IsControlledBy(&list.Items[i], db) {
			pods[list.Items[i].Name] = &list.Items[i]
		}
	}
	return pods, nil
}

func countReady(pods map[string]*corev1.Pod) int {
	count := 0
	for _, pod := range pods {
		if isReady(pod) {
			count++
		}
	}
	return count
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && pod.DeletionTimestamp.IsZero() {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
