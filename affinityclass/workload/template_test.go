package workload_test

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/workload"
)

func TestFind(t *testing.T) {
	apps := func(kind string) schema.GroupKind { return schema.GroupKind{Group: "apps", Kind: kind} }
	batch := func(kind string) schema.GroupKind { return schema.GroupKind{Group: "batch", Kind: kind} }
	const template = `{"spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}}`
	const want = `{"spec":{"nodeSelector":{"a":"b"}}}`
	tests := []struct {
		name   string
		kind   schema.GroupKind
		object string
		path   string // empty: no template
		json   string
	}{
		{"a Deployment keeps it in spec.template", apps("Deployment"), template, "spec.template", want},
		{"a StatefulSet too", apps("StatefulSet"), template, "spec.template", want},
		{"a DaemonSet too", apps("DaemonSet"), template, "spec.template", want},
		{"a ReplicaSet too", apps("ReplicaSet"), template, "spec.template", want},
		{"a Job too", batch("Job"), template, "spec.template", want},
		{"a ReplicationController too", schema.GroupKind{Kind: "ReplicationController"}, template, "spec.template", want},
		{"a CronJob keeps it in its Job template", batch("CronJob"), `{"spec":{"jobTemplate":` + template + `}}`, "spec.jobTemplate.spec.template", want},
		{"a PodTemplate has no spec", schema.GroupKind{Kind: "PodTemplate"}, `{"template":` + want + `}`, "template", want},
		{"a Service has none", schema.GroupKind{Kind: "Service"}, `{"spec":{"template":{}}}`, "", ""},
		{"a Deployment of another group is another kind", schema.GroupKind{Group: "example.org", Kind: "Deployment"}, template, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, err := workload.Find(tt.kind, []byte(tt.object))
			if err != nil {
				t.Fatal(err)
			}
			if ok != (tt.path != "") || got.Path != tt.path || string(got.JSON) != tt.json {
				t.Errorf("got %v %q %s, want %q %s", ok, got.Path, got.JSON, tt.path, tt.json)
			}
		})
	}
}

func TestFindNamesThePathThatIsWrong(t *testing.T) {
	kind := schema.GroupKind{Group: "apps", Kind: "Deployment"}
	tests := []struct{ name, object, path, message string }{
		{"no spec", `{}`, "spec", "Deployment: spec is missing"},
		{"spec is a list", `{"spec":[]}`, "spec", "Deployment: spec is not an object"},
		{"template is null", `{"spec":{"template":null}}`, "spec.template", "Deployment: spec.template is not an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := workload.Find(kind, []byte(tt.object))
			var wrong *workload.PathError
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v, want a PathError", err)
			}
			if wrong.Path != tt.path || wrong.Error() != tt.message {
				t.Errorf("got %q at %q, want %q at %q", wrong.Error(), wrong.Path, tt.message, tt.path)
			}
		})
	}
}
