package charts_test

import (
	"fmt"
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

// named is a release that names its class itself, and is given all else.
func (r release) named(t *testing.T, class string) {
	t.Helper()
	if err := cp.CreateNamespace(t.Context(), r.namespace, map[string]string{"affinity.cozystack.io/enforce": "deny"}); err != nil {
		t.Fatal(err)
	}
	object := r.object()
	object.SetLabels(application())
	if class != "" {
		object.SetAnnotations(map[string]string{policy.ClassAnnotation: class})
	}
	if err := unstructured.SetNestedMap(object.Object, map[string]any{"remediation": map[string]any{"retries": int64(1), "strategy": "rollback"}}, "spec", "upgrade"); err != nil {
		t.Fatal(err)
	}
	if err := world.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	r.awaitReady(t, "True", "succeeded")
}

func (r release) moveTo(t *testing.T, class, more string) {
	t.Helper()
	r.change(t, fmt.Sprintf(`{"metadata":{"annotations":{"affinity.cozystack.io/class":%q}}%s}`, class, more))
}

// replaced deletes every Pod of the Deployment, and returns when as many run in the
// zone again; any, when it is empty. Whatever the controllers were refused is a failure.
func (r release) replaced(t *testing.T, in string) {
	t.Helper()
	old := map[string]bool{}
	for _, pod := range r.workers(t) {
		old[pod.Name] = true
		if err := world.Client.Delete(t.Context(), &pod); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() error {
		fresh := 0
		for _, pod := range r.workers(t) {
			if pod.Spec.NodeName != "" && !old[pod.Name] && (in == "" || pod.Spec.NodeSelector[zone] == in) {
				fresh++
			}
		}
		if fresh < 3 {
			return fmt.Errorf("%d of 3 Pods have come back in %q", fresh, in)
		}
		return nil
	})
	r.unrefused(t)
}

// workers are the Pods of the Deployment, without those of the hooks.
func (r release) workers(t *testing.T) []corev1.Pod {
	t.Helper()
	var found []corev1.Pod
	for _, pod := range r.pods(t, "app-") {
		if !strings.HasPrefix(pod.Name, "app-prepare-") && !strings.HasPrefix(pod.Name, "app-check-") && pod.DeletionTimestamp == nil {
			found = append(found, pod)
		}
	}
	return found
}

func (r release) unrefused(t *testing.T) {
	t.Helper()
	var events corev1.EventList
	if err := world.Client.List(t.Context(), &events, client.InNamespace(r.namespace)); err != nil {
		t.Fatal(err)
	}
	for _, event := range events.Items {
		if event.Reason == "FailedCreate" {
			t.Errorf("a Pod was refused: %s", event.Message)
		}
	}
}

// refusesIn waits until a Pod of the release in a zone is refused.
func (r release) refusesIn(t *testing.T, zoneName string) {
	t.Helper()
	eventually(t, func() error {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace, Name: "late", Labels: map[string]string{lineage.LabelFluxName: "app"}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}, NodeSelector: map[string]string{zone: zoneName}}}
		if err := world.Client.Create(t.Context(), pod, client.DryRunAll); !apierrors.IsForbidden(err) {
			return fmt.Errorf("a Pod of the former class is answered with %v", err)
		}
		return nil
	})
}

func TestNoPodOfTheDeployedRevisionIsRefusedWhileAClassChanges(t *testing.T) {
	t.Parallel()
	nowhere := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: "nowhere"}}
	nowhere.Spec.NodeSelector = map[string]string{zone: "nowhere"}
	if err := world.Client.Create(t.Context(), nowhere); err != nil {
		t.Fatal(err)
	}
	r := release{chart: "web", namespace: "changes"}
	r.named(t, "dc1")
	r.replaced(t, "dc1")

	// An upgrade that cannot even be rendered.
	r.moveTo(t, "dc2", `,"spec":{"values":{"unknown":true}}`)
	r.awaitReady(t, "False", "")
	r.replaced(t, "dc1")
	// Mended, it is done, and then the former class is over.
	r.change(t, `{"spec":{"values":{"unknown":null}}}`)
	r.awaitReady(t, "True", "succeeded")
	r.replaced(t, "dc2")
	r.refusesIn(t, "dc1")

	// Suspended, the label runs ahead for as long as it likes.
	r.moveTo(t, "dc1", `,"spec":{"suspend":true}`)
	r.replaced(t, "dc2")
	r.moveTo(t, "nowhere", "") // and further
	r.replaced(t, "dc2")
	r.moveTo(t, "dc1", `,"spec":{"suspend":false}`)
	eventually(t, func() error { return r.settledIn("dc1", t) })
	r.replaced(t, "dc1")
	r.refusesIn(t, "dc2")

	// An upgrade whose Pods fit no node, and is rolled back.
	r.moveTo(t, "nowhere", "")
	r.replaced(t, "dc1")
	r.awaitReady(t, "False", "")
	eventually(t, func() error { return r.rolledBack(t) })
	r.replaced(t, "dc1")
	r.moveTo(t, "dc1", "")
	eventually(t, func() error { return r.settledIn("dc1", t) })
	r.replaced(t, "dc1")
}

// A first class on what runs without one.
func TestAFirstClassRefusesNoPodThatRanWithoutIt(t *testing.T) {
	t.Parallel()
	r := release{chart: "web", namespace: "first-class"}
	r.named(t, "")
	r.moveTo(t, "dc1", `,"spec":{"suspend":true}`)
	r.replaced(t, "")
	r.change(t, `{"spec":{"suspend":false}}`)
	eventually(t, func() error { return r.settledIn("dc1", t) })
	r.replaced(t, "dc1")
	r.refusesIn(t, "dc2")
}

// settledIn is nil when the release is ready in its present form, and its Pods say so.
func (r release) settledIn(class string, t *testing.T) error {
	object := r.object()
	if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		return err
	}
	if state := lineage.ReadRelease(object.Object); !state.Settled() || object.GetLabels()[policy.ClassLabel] != class {
		return fmt.Errorf("the release is %+v with labels %v", state, object.GetLabels())
	}
	for _, pod := range r.workers(t) {
		if pod.Spec.NodeSelector[zone] != class {
			return fmt.Errorf("Pod %s is still in %s", pod.Name, pod.Spec.NodeSelector[zone])
		}
	}
	return nil
}

// rolledBack is nil when the Deployment is in dc1 again after it was not.
func (r release) rolledBack(t *testing.T) error {
	object := r.object()
	if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, entry := range conditions {
		if condition, _ := entry.(map[string]any); condition["type"] == "Remediated" && condition["status"] == "True" {
			return nil
		}
	}
	return fmt.Errorf("no rollback yet: %v (%v)", conditions, err)
}
