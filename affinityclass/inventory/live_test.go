package inventory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reader lists from slices, one page after another, and counts the calls.
type reader struct {
	client.Reader
	nodes []*corev1.Node
	pods  []*corev1.Pod
	size  int           // of a page
	takes time.Duration // a call; zero: a millisecond
	err   error

	nodeLists, podLists atomic.Int32
}

func (r *reader) List(_ context.Context, list client.ObjectList, options ...client.ListOption) error {
	asked := (&client.ListOptions{}).ApplyOptions(options)
	time.Sleep(max(r.takes, time.Millisecond))
	from := len(asked.Continue)
	switch list := list.(type) {
	case *corev1.NodeList:
		r.nodeLists.Add(1)
		for _, n := range r.nodes[from:min(from+r.size, len(r.nodes))] {
			list.Items = append(list.Items, *n.DeepCopy())
		}
		list.Continue = rest(from+r.size, len(r.nodes))
	case *corev1.PodList:
		r.podLists.Add(1)
		for _, p := range r.pods[from:min(from+r.size, len(r.pods))] {
			if p.Namespace == asked.Namespace && asked.LabelSelector.Matches(labels.Set(p.Labels)) {
				list.Items = append(list.Items, *p.DeepCopy())
			}
		}
		list.Continue = rest(from+r.size, len(r.pods))
	}
	return r.err
}

// rest is a token as long as what was listed already; empty at the end.
func rest(from, of int) string {
	if from >= of {
		return ""
	}
	return strings.Repeat("x", from)
}

func TestALiveReadHasTheBearersOfTheNamespaceAlone(t *testing.T) {
	elsewhere := pod("w4", "n1", "web")
	elsewhere.Namespace = "other"
	r := &reader{size: 2, nodes: []*corev1.Node{node("n1"), node("n2"), node("n3")}, pods: []*corev1.Pod{
		pod("plain", "n1"), pod("w1", "n1", "web"), pod("w2", "n2", "web", "db"), pod("w3", "", "web"),
		in(corev1.PodFailed, pod("gone", "n1", "web")), elsewhere, pod("other", "n1", "batch"),
	}}
	tests := []struct {
		name   string
		reason string
		tags   []string
		pods   int
		calls  int32
	}{
		{"one tag", "its two placed bearers", []string{"web"}, 2, 4},
		{"two tags, of which one Pod bears both", "it is one Pod", []string{"db", "web"}, 2, 8},
		{"more tags", "the tagged Pods of the namespace, in one list", strings.Split("a b c", " "), 3, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := r.podLists.Load()
			snapshot, err := New(nil, r, TagsOnly, logr.Discard()).Live(t.Context(), "shop", tt.tags)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(snapshot.NodeNames()); got != 3 {
				t.Errorf("%d nodes, want all three pages", got)
			}
			if got := snapshot.Pods(); got != tt.pods {
				t.Errorf("%d Pods, want %d: %s", got, tt.pods, tt.reason)
			}
			if got := r.podLists.Load() - before; got != tt.calls {
				t.Errorf("%d calls for Pods, want %d", got, tt.calls)
			}
		})
	}
}

func TestABurstSharesLiveReads(t *testing.T) {
	r := &reader{size: 500, nodes: []*corev1.Node{node("n1")}, pods: []*corev1.Pod{pod("w1", "n1", "web")}}
	i := New(nil, r, TagsOnly, logr.Discard())
	var wait sync.WaitGroup
	for n := range 200 {
		wait.Go(func() {
			snapshot, err := i.Live(t.Context(), fmt.Sprintf("shop-%d", n%4), []string{"web"})
			if err != nil || len(snapshot.NodeNames()) != 1 {
				t.Errorf("got %v", err)
			}
		})
	}
	wait.Wait()
	// The first of each of four asks at once; the others share the next call.
	if nodes, pods := r.nodeLists.Load(), r.podLists.Load(); nodes > 8 || pods > 12 {
		t.Errorf("200 reviews made %d lists of nodes and %d of Pods", nodes, pods)
	}
}

// Tenants who try refused Pods again and again, by ever other tags, cost the API server
// no more than a part of its time, and each still gets an answer.
func TestListsRunAQuarterOfTheTimeHoweverOftenAnybodyAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes, lasts = 200 * time.Millisecond, 10 * time.Second
		r := &reader{size: 500, takes: takes, nodes: []*corev1.Node{node("n1")}}
		i := New(nil, r, TagsOnly, logr.Discard())
		var wait sync.WaitGroup
		for n := range int(lasts / (10 * time.Millisecond)) {
			wait.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // a review's
				defer cancel()
				if _, err := i.Live(ctx, "shop", []string{"a", "b", fmt.Sprint("c", n)}); err != nil {
					t.Errorf("got %v", err)
				}
			})
			time.Sleep(10 * time.Millisecond)
		}
		wait.Wait()
		most := int32(lasts/(livePaceFactor*takes)) + 3
		if nodes, pods := r.nodeLists.Load(), r.podLists.Load(); nodes > most || pods > most || nodes < most/2 {
			t.Errorf("%d lists of nodes and %d of Pods in %s, want at most %d", nodes, pods, lasts, most)
		}
	})
}

// Where a list takes so long that a review cannot wait for its turn, it ends in time and
// cannot tell.
func TestWhoCannotWaitForAListIsToldSoInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &reader{size: 500, takes: 2 * time.Second, nodes: []*corev1.Node{node("n1")}}
		i := New(nil, r, TagsOnly, logr.Discard())
		if _, err := i.Live(t.Context(), "shop", []string{"web"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		began := time.Now()
		if _, err := i.Live(ctx, "shop", []string{"web"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 3*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
	})
}

func TestALiveReadIsNeverOlderThanItsQuestion(t *testing.T) {
	r := &reader{size: 500, nodes: []*corev1.Node{node("n1")}}
	i := New(nil, r, TagsOnly, logr.Discard())
	if _, err := i.Live(t.Context(), "shop", []string{"web"}); err != nil {
		t.Fatal(err)
	}
	r.pods = append(r.pods, pod("w1", "n1", "web"))
	snapshot, err := i.Live(t.Context(), "shop", []string{"web"})
	if err != nil || snapshot.Pods() != 1 {
		t.Errorf("%d Pods, %v: the Pod was there before the question", snapshot.Pods(), err)
	}
}

func TestAFailedLiveReadIsAnErrorAndIsNotRemembered(t *testing.T) {
	r := &reader{size: 500, err: errors.New("etcd is away")}
	i := New(nil, r, TagsOnly, logr.Discard())
	if _, err := i.Live(t.Context(), "shop", []string{"web"}); err == nil || !strings.Contains(err.Error(), "list Pods of namespace shop: etcd is away") {
		t.Errorf("got %v", err)
	}
	r.err = nil
	if _, err := i.Live(t.Context(), "shop", []string{"web"}); err != nil {
		t.Errorf("got %v after the API server is back", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.Live(ctx, "shop", []string{"web"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the review", err)
	}
}
