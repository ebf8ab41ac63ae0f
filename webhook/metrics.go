package webhook

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cozystack/affinityclass/webhook/review"
)

// Metrics count reviews. Labels come from closed sets and from classes that
// exist: nothing a tenant can write makes a new series.
type Metrics struct {
	reviews   *prometheus.CounterVec
	seconds   prometheus.Histogram
	hops      prometheus.Histogram
	failed    *prometheus.CounterVec
	weights   *prometheus.CounterVec
	tolerated *prometheus.CounterVec
}

// NewMetrics registers the metrics of reviews.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		reviews: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "affinity_review_total",
			Help: "Reviews answered, by verdict and reason; class is empty where no existing class was asked.",
		}, []string{"resource", "verdict", "reason", "class", "action"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "affinity_review_seconds",
			Help:    "Time from reading a review to its answer, in seconds.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 3},
		}),
		hops: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "affinity_lineage_hops",
			Help:    "Hops walked from a Pod to the end of its lineage.",
			Buckets: []float64{0, 1, 2, 3, 4, 6, 8, 12, 16},
		}),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "affinity_review_failed_total",
			Help: "Requests that were not judged: malformed, too large, overloaded or panicked; and previews that panicked.",
		}, []string{"why"}),
		weights: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "affinity_binary_weighted_total",
			Help: "Binary affinity values with weights that were accepted where they were submitted.",
		}, []string{"resource"}),
		tolerated: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "affinity_require_tolerated_total",
			Help: "Pods let in with a warning that would have been refused for what they require of their neighbours, by the reason of that.",
		}, []string{"reason"}),
	}
	registry.MustRegister(m.reviews, m.seconds, m.hops, m.failed, m.weights, m.tolerated)
	m.failed.WithLabelValues(failPreview) // there from the start, so that the first one is an increase
	return m
}

// The reasons for which a request is not judged.
const (
	failMalformed = "malformed"
	failTooLarge  = "too-large"
	failOverload  = "overload"
	failPanic     = "panic"
	failPreview   = "preview" // only the preview: the dry run was judged and answered
)

// several stands for the classes of a Pod that has more than one.
const several = "several"

func (m *Metrics) reviewed(about told, v *review.Verdict) {
	class := ""
	switch v.Reason {
	case review.ContractKept, review.ContractBroken, review.ClassChanging, review.ClassDerived, review.ClassInvalid, review.Exempt, review.Gated:
		class = v.Facts.Class
	}
	if strings.Contains(class, ",") {
		class = several // a tenant chooses which, and how many
	}
	m.reviews.WithLabelValues(about.resource, string(v.Kind), string(v.Reason), class, v.Facts.Action).Inc()
	if v.Facts.Weighted != nil && !v.Facts.DryRun {
		m.weights.WithLabelValues(about.resource).Inc()
	}
	if v.Facts.Tolerated != "" {
		m.tolerated.WithLabelValues(string(v.Facts.Tolerated)).Inc()
	}
	m.seconds.Observe(about.took.Seconds())
	if about.resource == pods.Resource {
		m.hops.Observe(float64(v.Facts.Hops))
	}
}
