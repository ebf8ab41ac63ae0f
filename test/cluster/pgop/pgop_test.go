package main

import (
	"context"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestDatabases(t *testing.T) {
	c := startCluster(t)
	for _, test := range []struct {
		name string
		run  func(*cluster)
	}{
		{"a database has Pods of its own where its placement says, anew when lost, elsewhere when it changes", (*cluster).testLife},
		{"an instance that the API server refuses is told about and created once it may be", (*cluster).testRefused},
		{"a Job that the API server refuses is created once its placement is right", (*cluster).testRefusedJob},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(&cluster{t: t, Client: c.Client}) })
	}
}

func (c *cluster) testLife() {
	db := c.createCluster("db", "a", 2)
	c.untilPhase(db, phaseHealthy)
	for _, name := range []string{"db-1", "db-2"} {
		pod := c.pod(name)
		if !metav1.IsControlledBy(pod, db) || pod.Spec.NodeName != "a" {
			c.t.Errorf("Pod %s on %s is owned by %+v", name, pod.Spec.NodeName, pod.OwnerReferences)
		}
	}
	job := &batchv1.Job{}
	if err := c.Get(c.t.Context(), client.ObjectKey{Namespace: "default", Name: "db-1-initdb"}, job); err != nil {
		c.t.Fatal(err)
	}
	if !metav1.IsControlledBy(job, db) || job.Status.Succeeded != 1 || job.Spec.Template.Spec.NodeSelector[corev1.LabelHostname] != "a" {
		c.t.Errorf("Job: %+v", job)
	}
	lost := c.pod("db-2")
	if err := c.Delete(c.t.Context(), lost); err != nil {
		c.t.Fatal(err)
	}
	c.until("db-2 is created anew", func(ctx context.Context) bool {
		pod := &corev1.Pod{}
		return c.Get(ctx, client.ObjectKeyFromObject(lost), pod) == nil && pod.UID != lost.UID && isReady(pod)
	})
	c.change(db, func() { _ = unstructured.SetNestedMap(db.Object, onNode("b"), "spec", "affinity") })
	c.until("both run on b", func(context.Context) bool {
		return c.runsOn("db-1", "b") && c.runsOn("db-2", "b")
	})
	c.untilPhase(db, phaseHealthy)
	if err := c.Delete(c.t.Context(), db); err != nil {
		c.t.Fatal(err)
	}
	c.until("the Pods go with the Cluster", func(ctx context.Context) bool {
		return apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(lost), lost))
	})
}

func (c *cluster) pod(name string) *corev1.Pod {
	c.t.Helper()
	pod := &corev1.Pod{}
	if err := c.Get(c.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, pod); err != nil {
		c.t.Fatal(err)
	}
	return pod
}

func (c *cluster) runsOn(name, node string) bool {
	pod := &corev1.Pod{}
	err := c.Get(c.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, pod)
	return err == nil && pod.Spec.NodeName == node && isReady(pod)
}

func (c *cluster) testRefused() {
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "two"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("2")}},
	}
	c.create(quota)
	c.until("the quota is in force", func(ctx context.Context) bool {
		return c.Get(ctx, client.ObjectKeyFromObject(quota), quota) == nil && len(quota.Status.Hard) == 1
	})
	db := c.createCluster("big", "a", 3)
	c.untilPhase(db, phaseRefused)
	if reason, _, _ := unstructured.NestedString(db.Object, "status", "phaseReason"); !strings.Contains(reason, "exceeded quota") {
		c.t.Errorf("phaseReason: %q", reason)
	}
	c.until("an Event says so", func(ctx context.Context) bool { return c.warned(ctx, db, "exceeded quota") })
	c.change(quota, func() { quota.Spec.Hard[corev1.ResourcePods] = resource.MustParse("3") })
	c.untilPhase(db, phaseHealthy)
	if err := c.Delete(c.t.Context(), quota); err != nil {
		c.t.Error(err)
	}
}

func (c *cluster) warned(ctx context.Context, db client.Object, text string) bool {
	events := &eventsv1.EventList{}
	if err := c.List(ctx, events, client.InNamespace("default")); err != nil {
		c.t.Fatal(err)
	}
	for _, event := range events.Items {
		if event.Regarding.UID == db.GetUID() && event.Type == corev1.EventTypeWarning && strings.Contains(event.Note, text) {
			return true
		}
	}
	return false
}

// The second placement is one where the Job's Pod stays pending: such a Job is
// replaced.
func (c *cluster) testRefusedJob() {
	db := c.createCluster("odd", "not a value!", 1)
	c.untilPhase(db, phaseRefused)
	c.change(db, func() { _ = unstructured.SetNestedMap(db.Object, onNode("nowhere"), "spec", "affinity") })
	c.until("the Job exists", func(ctx context.Context) bool {
		return c.Get(ctx, client.ObjectKey{Namespace: "default", Name: "odd-1-initdb"}, &batchv1.Job{}) == nil
	})
	c.change(db, func() { _ = unstructured.SetNestedMap(db.Object, onNode("b"), "spec", "affinity") })
	c.untilPhase(db, phaseHealthy)
}
