package envtest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	mutate           = "/mutate-pod"
	validate         = "/validate-pod"
	platform         = "platform.example.org/tenant"
	mirror           = "kubernetes.io/config.mirror"
	releaseNamespace = "scope-release"
)

// What the API server sends, with the chart's own configurations and its platform
// label set: each Pod once a path, or not at all.
func TestWhichPodsAreSentForReview(t *testing.T) {
	both := []string{mutate, validate}
	tests := []struct {
		name   string
		labels map[string]string
		as     []string
		mirror bool
		want   []string
	}{
		{name: "opted-in", labels: map[string]string{enforce: "deny"}, want: both},
		{name: "unlabelled"},
		{name: "unknown-mode", labels: map[string]string{enforce: "off"}},
		{name: "platform", labels: map[string]string{platform: "a"}, want: both},
		{name: "platform-and-opted-in", labels: map[string]string{platform: "a", enforce: "deny"}, want: both},
		{name: "platform-and-unknown-mode", labels: map[string]string{platform: "a", enforce: "off"}, want: both},
		{name: "system", labels: map[string]string{system: "true", enforce: "deny", platform: "a"}},
		{name: "not-a-system", labels: map[string]string{system: "false", enforce: "deny"}, want: both},
		{name: "mirror-by-a-node", labels: map[string]string{enforce: "deny"}, as: []string{"system:node:n1", "system:nodes"}, mirror: true},
		{name: "mirror-by-somebody", labels: map[string]string{enforce: "deny"}, as: []string{"somebody", "developers"}, mirror: true, want: both},
		{name: "a-plain-pod-by-a-node", labels: map[string]string{enforce: "deny"}, as: []string{"system:node:n1", "system:nodes"}, want: both},
		{name: releaseNamespace, labels: map[string]string{enforce: "deny", platform: "a"}},
		{name: "kube-system", labels: map[string]string{enforce: "deny", platform: "a"}},
	}
	root := admin(t)
	seen := reviewed(t, root)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			labelled(t, root, namespaceOf(test.name), test.labels)
			creator := root
			if test.as != nil {
				creator = as(t, test.as[0], test.as[1:]...)
			}
			pod := podIn(namespaceOf(test.name), test.mirror)
			if err := creator.Create(t.Context(), pod, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, seen.take()); diff != "" {
				t.Errorf("reviews (-want +got):\n%s", diff)
			}
		})
	}
}

func namespaceOf(test string) string {
	if test == "kube-system" || test == releaseNamespace {
		return test
	}
	return "scope-" + test
}

// labelled makes sure that the namespace is there with these labels.
func labelled(t *testing.T, c client.Client, name string, labels map[string]string) {
	t.Helper()
	created := namespace(name, labels)
	err := c.Create(t.Context(), created)
	if err == nil {
		return
	}
	if err := c.Get(t.Context(), client.ObjectKey{Name: name}, created); err != nil {
		t.Fatal(err)
	}
	before := created.DeepCopy()
	for key, value := range labels {
		metav1.SetMetaDataLabel(&created.ObjectMeta, key, value)
	}
	if err := c.Update(t.Context(), created); err != nil {
		t.Fatal(err)
	}
	before.ResourceVersion = created.ResourceVersion
	t.Cleanup(func() {
		if err := c.Patch(context.Background(), before, client.MergeFrom(created)); err != nil {
			t.Error(err)
		}
	})
}

func podIn(namespace string, mirrored bool) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "p-", Namespace: namespace},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	if mirrored {
		pod.Annotations = map[string]string{mirror: "x"}
		pod.Spec.NodeName = "n1"
	}
	return pod
}
