package placement_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func size() int {
	if os.Getenv("AFFINITYCLASS_TEST_SIZE") == "long" {
		return 300
	}
	return 100
}

// seed is given by AFFINITYCLASS_TEST_SEED, to repeat a run.
func seed() int64 {
	if n, err := strconv.ParseInt(os.Getenv("AFFINITYCLASS_TEST_SEED"), 10, 64); err == nil {
		return n
	}
	return time.Now().Unix()
}

// crowd is how many Pods may be placed before old ones have to go.
const crowd = 45

func TestTheSchedulerTakesACandidate(t *testing.T) {
	start := seed()
	t.Logf("AFFINITYCLASS_TEST_SEED=%d", start)
	d, f := drawer{rand.New(rand.NewPCG(uint64(start), 0))}, startFeed(t)
	counts := map[placement.Verdict]int{}
	var placed []*corev1.Pod
	for i := range size() {
		pod := d.pod(i)
		seen := f.preview(t, asStored(t, pod))
		counts[seen.Verdict]++
		create(t, pod)
		if seen.Verdict == placement.Fits {
			placed = append(placed, pod)
			wasForeseen(t, f, pod, seen)
		} else {
			staysPending(t, pod, seen)
			removeFor(t, f, pod)
		}
		for len(placed) > crowd {
			at := d.IntN(len(placed))
			removeFor(t, f, placed[at])
			placed = slices.Delete(placed, at, at+1)
		}
	}
	t.Logf("%d Pods: %v", size(), counts)
	for _, verdict := range []placement.Verdict{placement.Fits, placement.Unsatisfiable, placement.NoCapacity} {
		if counts[verdict] == 0 {
			t.Errorf("no Pod was called %s: the shapes are too tame", verdict)
		}
	}
}

// asStored is the Pod as the API server would keep it.
func asStored(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	stored := pod.DeepCopy()
	if err := api.Create(t.Context(), stored, client.DryRunAll); err != nil {
		t.Fatalf("create Pod %s, dry run: %v", pod.Name, err)
	}
	return stored
}

func create(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	if err := api.Create(t.Context(), pod); err != nil {
		t.Fatalf("create Pod %s: %v", pod.Name, err)
	}
}

// wasForeseen waits for the scheduler and looks for its choice in the preview.
func wasForeseen(t *testing.T, f *feed, pod *corev1.Pod, seen *placement.Preview) {
	t.Helper()
	var node string
	eventually(t, func() error {
		if node, _ = f.node(client.ObjectKeyFromObject(pod)); node == "" {
			return errors.Join(fmt.Errorf("pod %s has %d candidates and no node", pod.Name, len(seen.Candidates)), failure(t, pod))
		}
		return nil
	})
	if !slices.ContainsFunc(seen.Candidates, func(c placement.Candidate) bool { return c.Node == node }) {
		t.Errorf("Pod %s went to %s, which was no candidate: %v", pod.Name, node, seen.Reasons())
	}
}

// staysPending waits until the scheduler has tried, and given up.
func staysPending(t *testing.T, pod *corev1.Pod, seen *placement.Preview) {
	t.Helper()
	eventually(t, func() error {
		if failure(t, pod) == nil {
			return fmt.Errorf("no Event FailedScheduling of Pod %s, which is %s: %s", pod.Name, seen.Verdict, seen.Aggregate())
		}
		return nil
	})
	var now corev1.Pod
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(pod), &now); err != nil {
		t.Fatal(err)
	}
	if now.Spec.NodeName != "" || now.Status.Phase != corev1.PodPending {
		t.Errorf("Pod %s was called %s and is %s on %q", pod.Name, seen.Verdict, now.Status.Phase, now.Spec.NodeName)
	}
}

// failure is what the scheduler says of a Pod it could not place.
func failure(t *testing.T, pod *corev1.Pod) error {
	t.Helper()
	var events corev1.EventList
	if err := api.List(t.Context(), &events, client.InNamespace(pod.Namespace)); err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Items {
		if e.InvolvedObject.UID == pod.UID && e.Reason == "FailedScheduling" {
			return errors.New(e.Message)
		}
	}
	return nil
}
