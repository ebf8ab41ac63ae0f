package inventory

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// stream is an API server that streams its lists: each watch begins with what there
// is, and goes on with what is sent.
type stream struct {
	client.WithWatch
	mu     sync.Mutex
	nodes  []*corev1.Node
	pods   []*corev1.Pod
	asked  []string // field selectors of watches of Pods
	during *watch.FakeWatcher
}

func (s *stream) Watch(_ context.Context, kind client.ObjectList, options ...client.ListOption) (watch.Interface, error) {
	asked := (&client.ListOptions{}).ApplyOptions(options)
	s.mu.Lock()
	defer s.mu.Unlock()
	w := watch.NewFakeWithChanSize(100, false)
	end := metav1.ObjectMeta{ResourceVersion: "1", Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}}
	if _, ok := kind.(*corev1.NodeList); ok {
		for _, n := range s.nodes {
			w.Add(n.DeepCopy())
		}
		w.Action(watch.Bookmark, &corev1.Node{ObjectMeta: end})
		return w, nil
	}
	for _, p := range s.pods {
		w.Add(p.DeepCopy())
	}
	w.Action(watch.Bookmark, &corev1.Pod{ObjectMeta: end})
	s.asked = append(s.asked, asked.FieldSelector.String())
	s.during = w
	return w, nil
}

func (s *stream) podWatch() *watch.FakeWatcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.during
}

func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not after 10 s: %s", what)
		}
	}
}

func TestTheInventoryIsReadyAfterItsFirstListsAndThenFollows(t *testing.T) {
	s := &stream{nodes: []*corev1.Node{node("n1")}, pods: []*corev1.Pod{pod("plain", "n1"), pod("w1", "n1", "web")}}
	i := New(s, nil, TagsOnly, logr.Discard())
	if i.Read(func(*placement.Snapshot) { t.Error("a snapshot is shown that was never filled") }) || i.HasSynced() {
		t.Error("the inventory is ready before it has begun")
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- i.Start(ctx) }()
	pods := func() (count int) {
		i.Read(func(s *placement.Snapshot) { count = s.Pods() })
		return count
	}
	await(t, "the first lists are read", i.HasSynced)
	if pods() != 1 {
		t.Errorf("%d Pods, want the one that bears a tag", pods())
	}
	s.podWatch().Add(pod("w2", "n1", "web"))
	await(t, "a new Pod is told of", func() bool { return pods() == 2 })
	s.podWatch().Delete(pod("w1", "n1", "web"))
	await(t, "a Pod goes", func() bool { return pods() == 1 })

	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Start ended with %v", err)
	}
	if want := "spec.nodeName!=,status.phase!=Succeeded,status.phase!=Failed"; s.asked[0] != want {
		t.Errorf("Pods are asked for by %q, want %q: those that wait or are done are not sent", s.asked[0], want)
	}
}
