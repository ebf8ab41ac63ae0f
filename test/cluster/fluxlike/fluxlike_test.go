package main

import (
	"context"
	"strings"
	"testing"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	"github.com/fluxcd/pkg/apis/meta"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The selector's key is none, so that the API server refuses what bears it.
var refused = map[string]any{"nodeSelector": map[string]any{"not a key!": "x"}}

func TestReleases(t *testing.T) {
	c := startCluster(t)
	for _, test := range []struct {
		name string
		run  func(*cluster)
	}{
		{"a release is installed with its hook, labelled, and its life ends with it", (*cluster).testLife},
		{"an upgrade that the API server refuses is rolled back, and the condition quotes it", (*cluster).testRollback},
		{"an install that the API server refuses is tried as often as the spec says", (*cluster).testInstallFails},
		{"a release for another cluster, a suspended one and one that waits for another are not deployed", (*cluster).testNotDeployed},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(&cluster{t: t, Client: c.Client}) })
	}
}

func (c *cluster) testLife() {
	c.create(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "common"},
		Data:       map[string]string{"values.yaml": "replicas: 7\nnodeSelector: {kubernetes.io/hostname: node}"},
	})
	release := newRelease("life", map[string]any{"replicas": 2})
	release.Spec.ValuesFrom = []v2.ValuesReference{{Kind: "ConfigMap", Name: "common"}}
	c.create(release)
	if got := ready(c.observed("life")); got.Status != metav1.ConditionTrue || got.Reason != v2.InstallSucceededReason {
		c.t.Fatalf("Ready: %+v", got)
	}
	deployment, hook := &appsv1.Deployment{}, &batchv1.Job{}
	c.read("life", deployment)
	c.read("life-prepare", hook)
	origin := map[string]string{"helm.toolkit.fluxcd.io/name": "life", "helm.toolkit.fluxcd.io/namespace": "default"}
	if diff := cmp.Diff(origin, hook.Labels); diff != "" {
		c.t.Errorf("labels of the hook (-want +got):\n%s", diff)
	}
	origin["app"], origin["app.kubernetes.io/managed-by"] = "life", "Helm"
	if diff := cmp.Diff(origin, deployment.Labels); diff != "" {
		c.t.Errorf("labels of the Deployment (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"app": "life"}, deployment.Spec.Template.Labels); diff != "" {
		c.t.Errorf("labels of its Pods (-want +got):\n%s", diff)
	}
	if *deployment.Spec.Replicas != 2 || deployment.Status.ReadyReplicas != 2 || hook.Status.Succeeded != 1 ||
		deployment.Spec.Template.Spec.NodeSelector["kubernetes.io/hostname"] != "node" {
		c.t.Errorf("Deployment %+v %+v, hook %+v", deployment.Spec, deployment.Status, hook.Status)
	}
	c.change("life", func(r *v2.HelmRelease) { r.Spec.Values = asJSON(map[string]any{"replicas": 3}) })
	if got := ready(c.observed("life")); got.Status != metav1.ConditionTrue || got.Reason != v2.UpgradeSucceededReason {
		c.t.Fatalf("Ready after the change: %+v", got)
	}
	if c.read("life", deployment); *deployment.Spec.Replicas != 3 {
		c.t.Errorf("%d replicas after the change to 3", *deployment.Spec.Replicas)
	}
	c.remove("life")
	if err := c.Get(c.t.Context(), client.ObjectKeyFromObject(deployment), deployment); !apierrors.IsNotFound(err) {
		c.t.Errorf("Deployment of a deleted release: %v", err)
	}
}

func (c *cluster) remove(name string) {
	c.t.Helper()
	release := newRelease(name, nil)
	if err := c.Delete(c.t.Context(), release); err != nil {
		c.t.Fatal(err)
	}
	c.until("release "+name+" is gone", func(ctx context.Context) bool {
		return apierrors.IsNotFound(c.Get(ctx, client.ObjectKeyFromObject(release), release))
	})
}

func (c *cluster) testRollback() {
	release := newRelease("back", map[string]any{"replicas": 1})
	release.Spec.Upgrade = &v2.Upgrade{DisableHooks: true, Remediation: &v2.UpgradeRemediation{Retries: 1}}
	c.create(release)
	c.observed("back")
	c.change("back", func(r *v2.HelmRelease) { r.Spec.Values = asJSON(refused) })
	failed := c.observed("back")
	if got := ready(failed); got.Status != metav1.ConditionFalse || got.Reason != v2.RollbackSucceededReason {
		c.t.Errorf("Ready: %+v", got)
	}
	if got := condition(failed, v2.RemediatedCondition); got.Status != metav1.ConditionTrue {
		c.t.Errorf("Remediated: %+v", got)
	}
	if got := condition(failed, v2.ReleasedCondition); !strings.Contains(got.Message, `Invalid value: "not a key!"`) {
		c.t.Errorf("Released does not quote the API server: %+v", got)
	}
	if got := condition(failed, meta.StalledCondition); got.Status != metav1.ConditionTrue || failed.Status.UpgradeFailures != 2 {
		c.t.Errorf("after %d failures, Stalled: %+v", failed.Status.UpgradeFailures, got)
	}
	deployment := &appsv1.Deployment{}
	if c.read("back", deployment); deployment.Spec.Template.Spec.NodeSelector != nil {
		c.t.Errorf("not rolled back: %+v", deployment.Spec.Template.Spec.NodeSelector)
	}
	c.change("back", func(r *v2.HelmRelease) { r.Spec.Values = asJSON(map[string]any{"replicas": 1}) })
	settled := c.observed("back")
	if got := ready(settled); got.Status != metav1.ConditionTrue || settled.Status.UpgradeFailures != 0 {
		c.t.Errorf("Ready once the values are good again: %+v", got)
	}
}

func (c *cluster) testInstallFails() {
	release := newRelease("never", refused)
	release.Spec.Install = &v2.Install{Remediation: &v2.InstallRemediation{Retries: 1}}
	c.create(release)
	failed := c.observed("never")
	if got := ready(failed); got.Status != metav1.ConditionFalse || got.Reason != v2.InstallFailedReason ||
		!strings.Contains(got.Message, `failed pre-install`) || !strings.Contains(got.Message, `Invalid value: "not a key!"`) {
		c.t.Errorf("Ready: %+v", got)
	}
	if failed.Status.InstallFailures != 2 {
		c.t.Errorf("%d failures, 2 wanted", failed.Status.InstallFailures)
	}
	c.change("never", func(r *v2.HelmRelease) { r.Spec.Values = nil })
	if got := ready(c.observed("never")); got.Status != metav1.ConditionTrue {
		c.t.Errorf("Ready once the values are good: %+v", got)
	}
}

func (c *cluster) testNotDeployed() {
	remote, suspended, waiting := newRelease("remote", nil), newRelease("suspended", nil), newRelease("waiting", nil)
	remote.Spec.KubeConfig = &meta.KubeConfigReference{SecretRef: &meta.SecretKeyReference{Name: "elsewhere"}}
	suspended.Spec.Suspend = true
	waiting.Spec.DependsOn = []v2.DependencyReference{{Name: "suspended"}}
	c.create(suspended, waiting, remote)
	if got := ready(c.observed("remote")); got.Status != metav1.ConditionUnknown || got.Reason != "RemoteCluster" {
		c.t.Errorf("Ready of the remote one: %+v", got)
	}
	c.until("the waiting one says so", func(ctx context.Context) bool {
		got := &v2.HelmRelease{}
		err := c.Get(ctx, client.ObjectKeyFromObject(waiting), got)
		return err == nil && ready(got).Reason == v2.DependencyNotReadyReason
	})
	for _, name := range []string{"remote", "suspended", "waiting"} {
		err := c.Get(c.t.Context(), client.ObjectKey{Namespace: "default", Name: name}, &appsv1.Deployment{})
		if !apierrors.IsNotFound(err) {
			c.t.Errorf("Deployment of %s: %v", name, err)
		}
	}
	c.change("suspended", func(r *v2.HelmRelease) { r.Spec.Suspend = false })
	for _, name := range []string{"suspended", "waiting"} {
		c.until(name+" is ready", func(ctx context.Context) bool {
			got := &v2.HelmRelease{}
			err := c.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, got)
			return err == nil && ready(got).Status == metav1.ConditionTrue
		})
	}
}
