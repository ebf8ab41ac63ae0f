package placement_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// newcomers are the four cases that are also asked of kube-scheduler's plugins
// in test/conformance.
func newcomers() map[string]*v1.Pod {
	base := func(change ...func(*v1.Pod)) *v1.Pod {
		change = append(change, in("team-3"), app("app-3"), asks(v1.ResourceCPU, "100m"))
		return pod("newcomer", change...)
	}
	return map[string]*v1.Pod{
		"plain":             base(),
		"zone spread":       base(spreads("app-3", v1.LabelTopologyZone, 5)),
		"apart by host":     base(apart("app-3", v1.LabelHostname)),
		"near one, by zone": base(near("app-3", v1.LabelTopologyZone)),
	}
}

func BenchmarkPreview(b *testing.B) {
	for _, n := range []int{500, 1000, 5000, 15000} {
		s := city(n)
		for name, p := range newcomers() {
			r := request(b, p)
			b.Run(name+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.Preview(r, placement.Options{})
				}
			})
		}
	}
}

// BenchmarkGrowth previews in a small and in a large cluster by turns and reports
// how many times longer the large one takes; as many as it has more nodes, 15, is
// linear. Both clusters are held the whole time, so that the collector has the
// same work; of the turns the shortest count, which nothing else interrupted.
func BenchmarkGrowth(b *testing.B) {
	small, large := city(1000), city(15000)
	for name, p := range newcomers() {
		r := request(b, p)
		b.Run(name, func(b *testing.B) {
			one, other := time.Hour, time.Hour
			for b.Loop() {
				for range 15 {
					one = min(one, took(small, r))
				}
				other = min(other, took(large, r))
			}
			b.ReportMetric(float64(other)/float64(one), "growth")
			b.ReportMetric(float64(other.Microseconds()), "large-µs")
		})
	}
}

func took(s *placement.Snapshot, r *placement.Request) time.Duration {
	start := time.Now()
	s.Preview(r, placement.Options{})
	return time.Since(start)
}

// An event takes the same time however many Pods there are.
func BenchmarkSetPod(b *testing.B) {
	for _, n := range []int{500, 15000} {
		s := city(n)
		p := citizen(3, n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				s.SetPod(p)
			}
		})
	}
}

// A placed Pod must cost the snapshot less than this.
const bytesPerPod = 700

func TestPlacedPodsAreSmall(t *testing.T) {
	const nodes = 1000
	tests := []struct {
		name   string
		change func(int, *v1.Pod)
	}{
		{"Pods of Deployments share their labels", func(int, *v1.Pod) {}},
		{"Pods of StatefulSets have labels of their own", func(i int, p *v1.Pod) {
			p.Labels["statefulset.kubernetes.io/pod-name"] = p.Name
			p.Labels["apps.kubernetes.io/pod-index"] = strconv.Itoa(i)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := placement.NewSnapshot()
			for i := range nodes {
				s.SetNode(node(nodeName(i)))
			}
			without := heap()
			for i := range 10 * nodes {
				p := citizen(i, nodes)
				p.Name = string([]byte(p.Name)) // as decoded: shared with nothing
				tt.change(i, p)
				s.SetPod(p)
			}
			each := (int64(heap()) - int64(without)) / (10 * nodes)
			if each > bytesPerPod || each < 50 {
				t.Errorf("a placed Pod takes %d bytes, want at most %d and no less than one can", each, bytesPerPod)
			}
			t.Logf("%d bytes for a placed Pod", each)
			runtime.KeepAlive(s)
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
