package placement_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

const daemonSet = `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":"shop","name":"agent"},` +
	`"spec":{"template":{"metadata":{"labels":{"app":"agent"}},"spec":{"nodeSelector":{"disk":"ssd"},"containers":[{"name":"c","resources":{"limits":{"cpu":"3"}}}]}}}}`

// One look finds the nodes on which the Pods that the controller would bind fit.
func TestADaemonSetInOneLookIsItsPodsOneByOne(t *testing.T) {
	ssd := label("disk", "ssd")
	s := cluster(
		node("fits", ssd), node("other"), node("cordoned", ssd, cordoned, taint(v1.TaintNodeUnschedulable, "", v1.TaintEffectNoSchedule)),
		node("tainted", ssd, taint("dedicated", "gpu", v1.TaintEffectNoSchedule)),
		node("pressed", ssd, taint(v1.TaintNodeMemoryPressure, "", v1.TaintEffectNoSchedule)),
		node("away", ssd, taint(v1.TaintNodeUnreachable, "", v1.TaintEffectNoSchedule)), node("small", ssd, allocatable(v1.ResourceCPU, "2")),
	)
	one, err := placement.FromDaemonSet([]byte(daemonSet))
	if err != nil {
		t.Fatal(err)
	}
	got := names(s.Preview(one, placement.Options{}))
	slices.Sort(got)
	each, _, err := placement.FromObject([]byte(daemonSet), placement.Copies{Nodes: s.NodeNames()})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, r := range each {
		want = append(want, names(s.Preview(r, placement.Options{}))...)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || len(want) == 7 {
		t.Errorf("nodes (-one by one +in one look):\n%s", diff)
	}
}

func TestAnotherKindIsNoDaemonSet(t *testing.T) {
	for _, object := range []string{`{"kind":"Pod"}`, `{"kind":"DaemonSet","spec":{}}`, `[`} {
		if _, err := placement.FromDaemonSet([]byte(object)); err == nil {
			t.Errorf("%s: no error", object)
		}
	}
}

func TestCount(t *testing.T) {
	const of = `{"apiVersion":"%s","kind":"%s","metadata":{"name":"web"},"spec":{%s"template":{"spec":{}},"jobTemplate":{"spec":{%s"template":{"spec":{}}}}}}`
	tests := []struct {
		api, kind, spec, job string
		want                 int
		counted              bool
	}{
		{"v1", "Pod", "", "", 1, true},
		{"apps/v1", "Deployment", "", "", 1, true},
		{"apps/v1", "Deployment", `"replicas":0,`, "", 0, true},
		{"apps/v1", "StatefulSet", `"replicas":2000000000,`, "", 2_000_000_000, true},
		{"apps/v1", "ReplicaSet", `"replicas":-3,`, "", 0, true},
		{"batch/v1", "Job", `"parallelism":5,"completions":3,`, "", 3, true},
		{"batch/v1", "CronJob", "", `"parallelism":4,`, 4, true},
		{"apps/v1", "DaemonSet", "", "", 1, false},
	}
	for _, tt := range tests {
		got, counted, err := placement.Count(fmt.Appendf(nil, of, tt.api, tt.kind, tt.spec, tt.job))
		if got != tt.want || counted != tt.counted || err != nil {
			t.Errorf("%s %s%s: %d, %t, %v, want %d, %t", tt.kind, tt.spec, tt.job, got, counted, err, tt.want, tt.counted)
		}
	}
	if _, _, err := placement.Count([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","spec":{}}`)); err == nil {
		t.Error("a Deployment without a template is counted")
	}
}
