package e2e_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
)

// openShop makes a governed namespace with a release of the class dc1, and returns
// when Pods are judged there.
func (w *world) openShop(t *testing.T) {
	t.Helper()
	if err := w.cp.CreateNamespace(t.Context(), shop, map[string]string{"affinity.cozystack.io/enforce": "deny"}); err != nil {
		t.Fatal(err)
	}
	class := &v1alpha1.AffinityClass{ObjectMeta: meta("", "dc1")}
	class.Spec.NodeSelector = map[string]string{zone: "dc1"}
	release := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{"namespace": shop, "name": "web"},
		"spec":     map[string]any{"interval": "5m", "chartRef": map[string]any{"kind": "HelmChart", "name": "web"}},
	}}
	release.SetLabels(map[string]string{
		policy.ClassLabel:             "dc1",
		lineage.LabelApplicationGroup: "apps.cozystack.io", lineage.LabelApplicationKind: "Bucket", lineage.LabelApplicationName: "web",
	})
	w.create(t, class, release)
	await(t, func(ctx context.Context) error { return refused(w.Client.Create(ctx, badPod(), client.DryRunAll)) })
	if err := w.Client.Create(t.Context(), goodPod(), client.DryRunAll); err != nil {
		t.Fatalf("a Pod that keeps its class: %v", err)
	}
}

func fluxLabels() map[string]string {
	return map[string]string{lineage.LabelFluxName: "web", lineage.LabelFluxNamespace: shop}
}

// goodPod keeps the class of the release that its label names.
func goodPod() *corev1.Pod {
	pod := badPod()
	pod.Name = "good"
	pod.Spec.NodeSelector = map[string]string{zone: "dc1"}
	return pod
}

func badPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "bad", Labels: fluxLabels()},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
}

// refused is no error if the Pod was refused for what is wrong with it.
func refused(err error) error {
	switch {
	case err == nil:
		return errors.New("a Pod that breaks its class was let in")
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), `AffinityClass "dc1"`):
		return nil
	}
	return err
}
