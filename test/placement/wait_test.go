package placement_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const patience = 30 * time.Second

// eventually asks until there is no error left.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s: %v", patience, err)
		}
	}
}

// settle is how long the scheduler, which watches as the snapshot does, is given
// to hear of what the snapshot has heard of.
const settle = 50 * time.Millisecond

// removeFor deletes a Pod and returns when the snapshot is without it.
func removeFor(t *testing.T, f *feed, pod *corev1.Pod) {
	t.Helper()
	if err := api.Delete(t.Context(), pod, client.GracePeriodSeconds(0)); err != nil {
		t.Fatalf("delete Pod %s: %v", pod.Name, err)
	}
	eventually(t, func() error {
		if _, known := f.node(client.ObjectKeyFromObject(pod)); known {
			return fmt.Errorf("pod %s is still known", pod.Name)
		}
		return nil
	})
	time.Sleep(settle)
}
