package webhook_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// The sizes that the bar compares, and its ratio.
const (
	few, many  = 20, 200
	costlier   = 1.2
	tryTimings = 101 // interleaved, so that a busy machine disturbs both alike
)

// among is the handler on a cluster of so many classes, half of them with terms;
// dc1, which the Pods name, is one of them.
func among(classes int) http.Handler {
	known := make([]*v1alpha1.AffinityClass, classes)
	for i := range known {
		known[i] = &v1alpha1.AffinityClass{}
		known[i].Name = fmt.Sprintf("dc%d", i)
		known[i].Spec.NodeSelector = map[string]string{"zone": known[i].Name}
		if i%2 == 0 {
			known[i].Spec.NodeSelectorTerms = []v1alpha1.NodeSelectorTerm{{MatchExpressions: []v1alpha1.NodeSelectorRequirement{
				{Key: "pool", Operator: "In", Values: []string{"a", known[i].Name}}}}}
		}
	}
	return webhook.ValidatePod(webhook.Config{
		Reviewer: review.New(review.Files(getter(release)), review.Fixed{Policy: policy.New(known...)}, review.Options{}),
		Recorder: &recorder{}, Metrics: webhook.NewMetrics(prometheus.NewRegistry()),
		Limits: webhook.DefaultLimits(), Log: logr.Discard(),
	}, policy.Deny)
}

// deaf takes an answer and keeps its size alone.
type deaf struct {
	header http.Header
	bytes  int
}

func (d *deaf) Header() http.Header            { return d.header }
func (d *deaf) WriteHeader(int)                {}
func (d *deaf) Write(text []byte) (int, error) { d.bytes += len(text); return len(text), nil }

func reviewOnce(h http.Handler, body string) int {
	r := httptest.NewRequest(http.MethodPost, "/validate-pod", bytes.NewReader([]byte(body)))
	r.Header.Set("Content-Type", "application/json")
	d := &deaf{header: http.Header{}}
	h.ServeHTTP(d, r)
	return d.bytes
}

func kinds() map[string]string { return map[string]string{"allowed": good(), "denied": bad()} }

// Allocations are counted exactly and hold the bar; time is told, since a busy
// machine is no fault. (BenchmarkReviewAmongClasses measures it.)
func TestAReviewCostsTheSameAmongManyClasses(t *testing.T) {
	for name, body := range kinds() {
		small, large := among(few), among(many)
		if a, b := reviewOnce(small, body), reviewOnce(large, body); a != b || a == 0 {
			t.Fatalf("%s: the answers differ: %d and %d bytes", name, a, b)
		}
		a := testing.AllocsPerRun(300, func() { reviewOnce(small, body) })
		b := testing.AllocsPerRun(300, func() { reviewOnce(large, body) })
		t.Logf("%s: %.0f allocations among %d classes, %.0f among %d", name, a, few, b, many)
		if b > a*costlier {
			t.Errorf("%s: %.0f allocations among %d classes, %.0f among %d", name, a, few, b, many)
		}
		t.Logf("%s: time among %d classes against %d: ratio %.2f", name, many, few, timeRatio(small, large, body))
	}
}

// timeRatio compares the medians of interleaved runs.
func timeRatio(a, b http.Handler, body string) float64 {
	var times [2][]time.Duration
	for range tryTimings {
		for i, h := range []http.Handler{a, b} {
			start := time.Now()
			for range 20 {
				reviewOnce(h, body)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	slices.Sort(times[0])
	slices.Sort(times[1])
	return float64(times[1][tryTimings/2]) / float64(times[0][tryTimings/2])
}

func BenchmarkReviewAmongClasses(b *testing.B) {
	for _, name := range []string{"allowed", "denied"} {
		body := kinds()[name]
		for _, classes := range []int{few, many} {
			b.Run(fmt.Sprintf("%s/%d", name, classes), func(b *testing.B) {
				h := among(classes)
				b.ReportAllocs()
				for b.Loop() {
					reviewOnce(h, body)
				}
			})
		}
		b.Run(name+"/ratio", func(b *testing.B) {
			small, large := among(few), among(many)
			var ratios []float64
			for b.Loop() {
				ratios = append(ratios, timeRatio(small, large, body))
			}
			slices.Sort(ratios)
			b.ReportMetric(0, "ns/op") // of no interest
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
}
