package placement_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func workload(api, kind, spec string) string {
	return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"web","namespace":"shop"},"spec":{%s}}`, api, kind, spec)
}

const template = `"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main",
	"resources":{"limits":{"cpu":"3"}}}]}}`

func TestFromObject(t *testing.T) {
	three := 3
	tests := []struct {
		name, object string
		copies       placement.Copies
		want         string
	}{
		{"a Deployment gives its replicas", workload("apps/v1", "Deployment", `"replicas":2,`+template), placement.Copies{}, "web-0 web-1"},
		{"one when it does not say", workload("apps/v1", "ReplicaSet", template), placement.Copies{}, "web-0"},
		{"as many as asked", workload("apps/v1", "Deployment", `"replicas":2,`+template), placement.Copies{Replicas: &three}, "web-0 web-1 web-2"},
		{"a StatefulSet begins at its first ordinal", workload("apps/v1", "StatefulSet", `"replicas":2,"ordinals":{"start":5},`+template), placement.Copies{}, "web-5 web-6"},
		{"a DaemonSet gives one for each node", workload("apps/v1", "DaemonSet", template), placement.Copies{Nodes: []string{"a", "b"}}, "web-0-a web-1-b"},
		{"a Job runs no more than it has to complete", workload("batch/v1", "Job", `"parallelism":4,"completions":2,`+template), placement.Copies{}, "web-0 web-1"},
		{"a CronJob runs its Job", workload("batch/v1", "CronJob", `"jobTemplate":{"spec":{"parallelism":2,`+template+`}}`), placement.Copies{}, "web-0 web-1"},
		{"a Pod is itself", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{}}`, placement.Copies{}, "web"},
		{"a Machine too", vm("m", web, ""), placement.Copies{}, "m"},
		{"a Service gives none", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"}}`, placement.Copies{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requests, ok, err := placement.FromObject([]byte(tt.object), tt.copies)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range requests {
				got = append(got, r.Ref().Name)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" || ok != (tt.want != "") {
				t.Errorf("ok %v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestFromObjectRefuses(t *testing.T) {
	tests := []struct{ name, object, want string }{
		{"what is no JSON", `{`, "read object: unexpected end of JSON input"},
		{"a workload without a template", workload("apps/v1", "Deployment", ""), "Deployment: spec.template is missing"},
		{"a selector that cannot be read", workload("apps/v1", "Deployment", `"template":{"spec":{"topologySpreadConstraints":[{
			"topologyKey":"z","labelSelector":{"matchExpressions":[{"key":"a","operator":"Like"}]}}]}}`),
			`Deployment web: read Pod shop/web-0: topologySpreadConstraints: "Like" is not a valid label selector operator`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, _, err := placement.FromObject([]byte(tt.object), placement.Copies{}); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// What the API server and the controllers would add bears on the placement.
func TestFromObjectFillsIn(t *testing.T) {
	spreading := strings.Replace(template, `"spec":{`, `"spec":{"topologySpreadConstraints":[{"topologyKey":"kubernetes.io/hostname",
		"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}},"matchLabelKeys":["pod-template-hash"]}],`, 1)
	hosted := strings.Replace(template, `"name":"main"`, `"name":"main","ports":[{"containerPort":80}]`, 1)
	hosted = strings.Replace(hosted, `"spec":{`, `"spec":{"hostNetwork":true,`, 1)
	old := pod("old", app("web"), on("a"))
	tests := []struct {
		name, object string
		state        []any
		want         string
	}{
		{"requests follow from limits", workload("apps/v1", "Deployment", template), []any{node("a", allocatable("cpu", "2"))}, "1 node(s): cpu requests 3, only 2 free"},
		{"limits of the whole Pod too, where no container asks", workload("apps/v1", "Deployment",
			`"template":{"spec":{"resources":{"limits":{"cpu":"3"}},"containers":[{"name":"main"}]}}`),
			[]any{node("a", allocatable("cpu", "2"))}, "1 node(s): cpu requests 3, only 2 free"},
		{"and else the containers' sum", workload("apps/v1", "Deployment",
			`"template":{"spec":{"resources":{"limits":{"cpu":"3"}},"containers":[{"name":"main","resources":{"requests":{"cpu":"1"}}}]}}`),
			[]any{node("a", allocatable("cpu", "2"))}, ""},
		{"a Deployment's Pod bears a revision, so older Pods do not count", workload("apps/v1", "Deployment", spreading), []any{node("a"), node("b"), old}, ""},
		{"a ReplicaSet's Pod bears none of ours", workload("apps/v1", "ReplicaSet", spreading), []any{node("a"), node("b"), old},
			"1 node(s): topology spread app=web on kubernetes.io/hostname, maxSkew 1, not satisfied"},
		{"ports of the host's network are the host's", workload("apps/v1", "Deployment", hosted), []any{node("a"), pod("p", on("a"), hostPort(80))}, "1 node(s): host port 80/TCP taken"},
		{"a DaemonSet's Pod goes to a cordoned node", workload("apps/v1", "DaemonSet", template),
			[]any{node("a", cordoned, taint(v1.TaintNodeUnschedulable, "", v1.TaintEffectNoSchedule))}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			requests, _, err := placement.FromObject([]byte(tt.object), placement.Copies{Nodes: []string{"a"}})
			if err != nil {
				t.Fatal(err)
			}
			p := cluster(tt.state...).Preview(requests[0], placement.Options{})
			if diff := cmp.Diff(tt.want, p.Aggregate()); diff != "" {
				t.Errorf("aggregate (-want +got):\n%s", diff)
			}
		})
	}
}
