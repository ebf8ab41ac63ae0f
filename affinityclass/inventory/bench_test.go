package inventory

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// city has ten tagged Pods a node, of fifty namespaces and twenty tags.
func city(tb testing.TB, pods int) fixture {
	tb.Helper()
	f := feedByHand(Previews)
	for i := range pods / 10 {
		if err := f.nodes.Add(node(fmt.Sprintf("node-%d", i))); err != nil {
			tb.Fatal(err)
		}
	}
	for i := range pods {
		if err := f.pods.Add(citizen(i)); err != nil {
			tb.Fatal(err)
		}
	}
	return f
}

func citizen(i int) *corev1.Pod {
	p := pod(fmt.Sprintf("pod-%d", i), fmt.Sprintf("node-%d", i/10), fmt.Sprintf("tag-%02d", i%20))
	p.Namespace = fmt.Sprintf("team-%d", i/10%50)
	return p
}

// crew is few enough for a processor's cache to hold what an update touches at
// either size: how slow memory is says nothing of the snapshot.
func crew() (pods []*corev1.Pod) {
	for i := range 100 {
		pods = append(pods, citizen(i))
	}
	return pods
}

// move has Pods leave and come.
func move(tb testing.TB, f fixture, pods []*corev1.Pod) {
	for _, p := range pods {
		if err := f.pods.Delete(p); err != nil {
			tb.Fatal(err)
		}
		if err := f.pods.Add(p); err != nil {
			tb.Fatal(err)
		}
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, size := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			f, pods := city(b, size), crew()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				move(b, f, pods[i%len(pods):i%len(pods)+1])
			}
		})
	}
}

// An update costs the same however many Pods are placed. The least of many rounds,
// taken in turns, is compared: a busy machine makes rounds longer only.
func TestAnUpdateCostsTheSameAtAHundredThousandPods(t *testing.T) {
	few, many, pods := city(t, 1_000), city(t, 100_000), crew()
	round := func(f fixture) time.Duration {
		start := time.Now()
		move(t, f, pods)
		return time.Since(start)
	}
	var at1k, at100k []time.Duration
	for range 300 {
		at1k, at100k = append(at1k, round(few)), append(at100k, round(many))
	}
	ratio := float64(slices.Min(at100k)) / float64(slices.Min(at1k))
	t.Logf("a hundred updates: %v at 1,000 Pods, %v at 100,000: ratio %.2f", slices.Min(at1k), slices.Min(at100k), ratio)
	if ratio > 1.5 {
		t.Errorf("ratio %.2f, wanted at most 1.5", ratio)
	}
}

// docs/operations.md says so.
func TestAPlacedPodTakesLessThanAKilobyte(t *testing.T) {
	const pods = 20_000
	before := heap()
	f := city(t, pods)
	each := (int64(heap()) - int64(before)) / pods
	t.Logf("%d bytes for a placed Pod, and its share of a node", each)
	if each > 1024 || each < 50 {
		t.Errorf("a placed Pod takes %d bytes, want at most 1024 and no less than one can", each)
	}
	runtime.KeepAlive(f)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
