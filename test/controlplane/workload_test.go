package controlplane_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func deployment(name string, replicas int32, selector map[string]string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					NodeSelector: selector,
					Containers:   []corev1.Container{{Name: "main", Image: "none"}},
				},
			},
		},
	}
}

func create(t *testing.T, writer client.Writer, object client.Object) {
	t.Helper()
	if err := writer.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func awaitRunning(t *testing.T, reader client.Reader, app string, want int) []corev1.Pod {
	t.Helper()
	eventually(t, func() error { return countPods(t, reader, app, corev1.PodRunning, want) })
	var pods corev1.PodList
	if err := reader.List(t.Context(), &pods, client.InNamespace("shop"), client.MatchingLabels{"app": app}); err != nil {
		t.Fatal(err)
	}
	return pods.Items
}

func countPods(t *testing.T, reader client.Reader, app string, phase corev1.PodPhase, want int) error {
	var pods corev1.PodList
	if err := reader.List(t.Context(), &pods, client.InNamespace("shop"), client.MatchingLabels{"app": app}); err != nil {
		return err
	}
	found := 0
	for _, pod := range pods.Items {
		if pod.Status.Phase == phase {
			found++
		}
	}
	if found != want || len(pods.Items) != want {
		return fmt.Errorf("%d Pods of %s, %d of them %s; want %d", len(pods.Items), app, found, phase, want)
	}
	return nil
}

func eventually(t *testing.T, ask func() error) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
