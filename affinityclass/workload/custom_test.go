package workload_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/workload"
)

func TestCustomResourcesBecomeTemplates(t *testing.T) {
	type pod struct{ path, selector, affinity, json string }
	of := func(selector, affinity string) string {
		return `{"spec":{"nodeSelector":` + selector + `,"affinity":{"nodeAffinity":` + affinity + `}}}`
	}
	tests := []struct {
		name        string
		group, kind string
		object      string
		want        []pod
		reason      string
	}{
		{"fields under names of their own", "postgresql.cnpg.io", "Cluster", `{"spec":{"affinity":{"nodeSelector":{"a":"b"}}}}`,
			[]pod{{"spec.affinity", "spec.affinity.nodeSelector", "spec.affinity.nodeAffinity", of(`{"a":"b"}`, "null")}}, ""},
		{"a Pod that has no node selector", "kafka.strimzi.io", "KafkaNodePool", `{"spec":{"template":{"pod":{"affinity":{"nodeAffinity":{}}}}}}`,
			[]pod{{"spec.template.pod", "", "spec.template.pod.affinity.nodeAffinity", of("null", "{}")}}, ""},
		{"nothing is said: where it would be", "kafka.strimzi.io", "KafkaNodePool", `{"spec":{}}`,
			[]pod{{"spec.template.pod", "", "spec.template.pod.affinity.nodeAffinity", of("null", "null")}}, "the operator makes Pods without it"},
		{"no spec at all", "rabbitmq.com", "RabbitmqCluster", `{}`,
			[]pod{{"spec", "spec.override.statefulSet.spec.template.spec.nodeSelector", "spec.affinity.nodeAffinity", of("null", "null")}}, "it has defaults"},
		{"an override wins", "rabbitmq.com", "RabbitmqCluster",
			`{"spec":{"affinity":{"nodeAffinity":{"x":1}},"override":{"statefulSet":{"spec":{"template":{"spec":{"affinity":{"nodeAffinity":{"y":1}}}}}}}}}`,
			[]pod{{"spec", "spec.override.statefulSet.spec.template.spec.nodeSelector", "spec.override.statefulSet.spec.template.spec.affinity.nodeAffinity", of("null", `{"y":1}`)}}, ""},
		{"each of a list, and only what is enabled", "psmdb.percona.com", "PerconaServerMongoDB",
			`{"spec":{"replsets":[{"arbiter":{"enabled":false}},{"nodeSelector":{"a":"b"},"arbiter":{"enabled":true}}]}}`,
			[]pod{
				{"spec.replsets[0]", "spec.replsets[0].nodeSelector", "spec.replsets[0].affinity.advanced.nodeAffinity", of("null", "null")},
				{"spec.replsets[1]", "spec.replsets[1].nodeSelector", "spec.replsets[1].affinity.advanced.nodeAffinity", of(`{"a":"b"}`, "null")},
				{"spec.replsets[1].arbiter", "spec.replsets[1].arbiter.nodeSelector", "spec.replsets[1].arbiter.affinity.advanced.nodeAffinity", of("null", "null")},
			}, ""},
		{"a process class takes the general template", "apps.foundationdb.org", "FoundationDBCluster",
			`{"spec":{"processes":{"general":{"podTemplate":{"spec":{"nodeSelector":{"a":"b"}}}},"storage":{}}}}`,
			[]pod{
				{"spec.processes.general.podTemplate.spec", "spec.processes.general.podTemplate.spec.nodeSelector", "spec.processes.general.podTemplate.spec.affinity.nodeAffinity", of(`{"a":"b"}`, "null")},
				{"spec.processes.general.podTemplate.spec", "spec.processes.general.podTemplate.spec.nodeSelector", "spec.processes.general.podTemplate.spec.affinity.nodeAffinity", of(`{"a":"b"}`, "null")},
			}, ""},
		{"templates that nothing refers to leave bare Pods", "clickhouse.altinity.com", "ClickHouseInstallation",
			`{"spec":{"templates":{"podTemplates":[{"spec":{"nodeSelector":{"a":"b"}}}]}}}`,
			[]pod{
				{"spec.templates.podTemplates[0].spec", "spec.templates.podTemplates[0].spec.nodeSelector", "spec.templates.podTemplates[0].spec.affinity.nodeAffinity", of(`{"a":"b"}`, "null")},
				{"spec.defaults.templates.podTemplate", "spec.defaults.templates.podTemplate", "spec.defaults.templates.podTemplate", "{}"},
			}, ""},
		{"what runs elsewhere makes no Pods here", "argoproj.io", "Rollout", `{"spec":{"workloadRef":{"name":"a"}}}`, nil, "the Deployment is judged by itself"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, ok, err := workload.Operators().Find(schema.GroupKind{Group: tt.group, Kind: tt.kind}, []byte(tt.object))
			if err != nil || !ok {
				t.Fatalf("got %v, %v", ok, err)
			}
			var got []pod
			for _, f := range found {
				got = append(got, pod{f.Path, f.NodeSelector, f.NodeAffinity, string(f.JSON)})
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(pod{})); diff != "" {
				t.Errorf("wanted (-), got (+): %s\n%s", tt.reason, diff)
			}
		})
	}
}

func TestAKindThatIsNotInTheTable(t *testing.T) {
	if _, ok, err := workload.Operators().Find(schema.GroupKind{Group: "example.org", Kind: "Cluster"}, []byte(`{}`)); ok || err != nil {
		t.Errorf("got %v, %v", ok, err)
	}
}

func TestAPathThatLeadsThroughSomethingElse(t *testing.T) {
	_, _, err := workload.Operators().Find(schema.GroupKind{Group: "psmdb.percona.com", Kind: "PerconaServerMongoDB"}, []byte(`{"spec":{"replsets":{}}}`))
	var wrong *workload.PathError
	if !errors.As(err, &wrong) || wrong.Error() != "PerconaServerMongoDB: spec.replsets is not a list" {
		t.Errorf("got %v", err)
	}
}

func TestTheTableIsWellFormed(t *testing.T) {
	table := workload.Operators()
	if len(table.Kinds()) < 16 {
		t.Errorf("only %d kinds", len(table.Kinds()))
	}
}

func TestEntriesOfUsersAreValidated(t *testing.T) {
	role := workload.Role{At: "spec", NodeSelector: []string{"nodeSelector"}}
	tests := []struct {
		name  string
		entry workload.Entry
		want  string // a part of the error; empty: none
	}{
		{"good", workload.Entry{Group: "a.org", Kind: "A", Roles: []workload.Role{role}}, ""},
		{"no roles: it makes no Pods", workload.Entry{Group: "a.org", Kind: "A"}, ""},
		{"no kind", workload.Entry{Group: "a.org"}, "kind: "},
		{"a group of Kubernetes", workload.Entry{Group: "apps", Kind: "A"}, `group: "apps"`},
		{"no place", workload.Entry{Group: "a.org", Kind: "A", Roles: []workload.Role{role, {NodeSelector: []string{"a"}}}}, "roles[1].at: "},
		{"no field", workload.Entry{Group: "a.org", Kind: "A", Roles: []workload.Role{{At: "spec"}}}, "roles[0].nodeSelector: "},
		{"no path", workload.Entry{Group: "a.org", Kind: "A", Roles: []workload.Role{{At: "spec.a[0]", Bare: "b"}}}, `roles[0].at: "spec.a[0]"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.entry.Validate()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
