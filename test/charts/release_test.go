package charts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// release is a HelmRelease app in a namespace of its own; it names class dc1.
type release struct {
	chart     string
	namespace string
	in        string // zone that its values carry; none when empty
	hooks     string // spec.postRenderStrategy; Flux's default when empty
}

// deploy makes a governed namespace and the release in it.
func (r release) deploy(t *testing.T) {
	t.Helper()
	if err := cp.CreateNamespace(t.Context(), r.namespace, map[string]string{"affinity.cozystack.io/enforce": "deny"}); err != nil {
		t.Fatal(err)
	}
	if err := world.Client.Create(t.Context(), r.object()); err != nil {
		t.Fatal(err)
	}
}

func (r release) object() *unstructured.Unstructured {
	spec := map[string]any{
		"interval": "5m", "timeout": "20s",
		"chart": map[string]any{"spec": map[string]any{
			"chart": r.chart, "sourceRef": map[string]any{"kind": "HelmRepository", "name": "examples"},
		}},
	}
	if r.in != "" {
		spec["values"] = map[string]any{"_scheduling": map[string]any{"nodeSelector": map[string]any{zone: r.in}}}
	}
	if r.hooks != "" {
		spec["postRenderStrategy"] = r.hooks
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": spec,
	}}
	object.SetNamespace(r.namespace)
	object.SetName("app")
	labels := application()
	labels[policy.ClassLabel] = "dc1"
	object.SetLabels(labels)
	return object
}

func application() map[string]string {
	return map[string]string{
		lineage.LabelApplicationGroup: "apps.cozystack.io",
		lineage.LabelApplicationKind:  "Bucket",
		lineage.LabelApplicationName:  "app",
	}
}

// change patches the release.
func (r release) change(t *testing.T, patch string) {
	t.Helper()
	if err := world.Client.Patch(t.Context(), r.object(), client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// awaitReady waits until the release's Ready condition has a status and says a text.
func (r release) awaitReady(t *testing.T, status, text string) {
	t.Helper()
	eventually(t, func() error {
		object := r.object()
		if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
		for _, entry := range conditions {
			condition, _ := entry.(map[string]any)
			if condition["type"] == "Ready" && condition["status"] == status && strings.Contains(fmt.Sprint(condition["message"]), text) {
				return nil
			}
		}
		return fmt.Errorf("want Ready=%s with %q, got %v (%v)", status, text, conditions, err)
	})
}

// pods of the namespace whose names begin so.
func (r release) pods(t *testing.T, prefix string) []corev1.Pod {
	t.Helper()
	var all corev1.PodList
	if err := world.Client.List(t.Context(), &all, client.InNamespace(r.namespace)); err != nil {
		t.Fatal(err)
	}
	var found []corev1.Pod
	for _, pod := range all.Items {
		if strings.HasPrefix(pod.Name, prefix) {
			found = append(found, pod)
		}
	}
	return found
}

// awaitEvent waits for an Event on an object whose message ends so.
func (r release) awaitEvent(t *testing.T, reason, kind, end string) {
	t.Helper()
	eventually(t, func() error {
		var events corev1.EventList
		if err := world.Client.List(t.Context(), &events, client.InNamespace(r.namespace)); err != nil {
			return err
		}
		var said []string
		for _, event := range events.Items {
			if event.Reason == reason && event.InvolvedObject.Kind == kind {
				said = append(said, event.Message)
				if strings.HasSuffix(event.Message, end) {
					return nil
				}
			}
		}
		return fmt.Errorf("no Event %s on a %s ends with\n%s\namong\n%s", reason, kind, end, strings.Join(said, "\n"))
	})
}

// eventually asks until there is no error left; it is generous, since a busy
// machine is no fault.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	const patience = 90 * time.Second
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}
