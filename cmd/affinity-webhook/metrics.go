package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/store"
)

// readMetrics counts how lineage was read; it is a cluster.Observer.
type readMetrics struct {
	live *prometheus.CounterVec
	memo *prometheus.CounterVec
}

func newReadMetrics(registry prometheus.Registerer) readMetrics {
	m := readMetrics{
		live: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "affinity_lineage_live_reads_total",
			Help: "Reads of owners and releases that went to the API server, by kind and result.",
		}, []string{"kind", "result"}),
		memo: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "affinity_lineage_memo_total",
			Help: "Reads of owners and releases that memory answered (hit) or not (miss).",
		}, []string{"result"}),
	}
	registry.MustRegister(m.live, m.memo)
	return m
}

// LiveRead counts a call to the API server.
func (m readMetrics) LiveRead(kind schema.GroupKind, result string) {
	m.live.WithLabelValues(kind.String(), result).Inc()
}

// Memo counts a question put to memory.
func (m readMetrics) Memo(hit bool) {
	result := "miss"
	if hit {
		result = "hit"
	}
	m.memo.WithLabelValues(result).Inc()
}

// newInventoryAge tells how long the API server has been silent of what is placed.
func newInventoryAge(age func() time.Duration) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "affinity_inventory_age_seconds",
		Help: "Seconds since the API server last told of nodes, placed Pods or namespaces, whichever it has been silent of the longest; 0 before all were read.",
	}, func() float64 { return age().Seconds() })
}

// newSnapshotAge tells how long the policy has stood unchanged.
func newSnapshotAge(policies *store.Store) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "affinity_snapshot_age_seconds",
		Help: "Seconds since the policy snapshot last changed; 0 before its first class.",
	}, func() float64 {
		if changed := policies.Changed(); !changed.IsZero() {
			return time.Since(changed).Seconds()
		}
		return 0
	})
}
