package charts_test

import "testing"

// The webhook judges what the examples' Pods are held by: a merged selector, or
// node affinity alone where the operator's resource has no other field.
func TestPodsOfTheExamplesKeepTheirClass(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ chart, prefix, owner string }{
		{"stateful", "app-1", "StatefulSet"},
		{"cron", "app-check-", "Job"},
		{"affine", "app-3", "Cluster"},
	} {
		t.Run(tt.chart, func(t *testing.T) {
			t.Parallel()
			r := release{chart: tt.chart, namespace: "example-" + tt.chart, in: "dc1"}
			r.deploy(t)
			eventually(t, func() error { return r.runs(t, tt.prefix, tt.owner) })
		})
	}
}
