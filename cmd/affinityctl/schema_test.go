package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/audit"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/binary"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/chain"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/drain"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/preview"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/why"
)

const schemas = "../../docs/schemas"

// answers are what verbs give programs, by verb; check has its schema beside its guide.
func answers() map[string]any {
	return map[string]any{
		"preview": preview.Report{}, "nodes": nodeList{}, "lineage": chain.Report{},
		"why": why.Report{}, "audit": audit.Report{},
		"classes": classList{}, "drain": drain.Report{}, "binary": binary.Report{},
	}
}

// The schemas in docs are those of the types: go test ./cmd/affinityctl -run Schema
// -update writes them anew.
func TestSchemasAreThoseOfTheTypes(t *testing.T) {
	for verb, answer := range answers() {
		t.Run(verb, func(t *testing.T) {
			written := &schemaWriter{defs: map[string]any{}, told: comments{}}
			root := written.object(reflect.TypeOf(answer))
			root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
			root["title"] = "affinityctl " + verb + " -o json"
			root["$defs"] = written.defs
			var text bytes.Buffer
			encoder := json.NewEncoder(&text)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")
			if err := encoder.Encode(root); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(schemas, verb+".json")
			if *update {
				if err := os.MkdirAll(schemas, 0o750); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), text.String()); diff != "" {
				t.Errorf("%s (-) is not what the types say (+):\n%s", file, diff)
			}
		})
	}
}

func TestNoSchemaIsWithoutItsVerb(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(schemas, "*.json"))
	if err != nil || len(files) != len(answers()) {
		t.Errorf("%d schemas for %d verbs: %v, %v", len(files), len(answers()), files, err)
	}
}

// What the verbs really print is held to the schemas.
func TestAnswersKeepTheirSchemas(t *testing.T) {
	cluster := served(t, shop).Kubeconfig(t, "shop")
	for _, tt := range []struct {
		verb string
		args []string
	}{
		{"classes", []string{"-f", "testdata/cluster.yaml"}},
		{"nodes", []string{"--snapshot", dump}},
		{"nodes", []string{"--snapshot", kairon}},
		{"preview", []string{"-f", web, "-f", nowhere, "--snapshot", dump, "--explain"}},
		{"preview", []string{"-f", "testdata/preview/machine.yaml", "--snapshot", kairon, "--replicas", "3"}},
		{"lineage", []string{"pod/web-7c-1", "--kubeconfig", cluster}},
		{"lineage", []string{"pod/orphan", "--kubeconfig", cluster}},
		{"why", []string{"pod/web-7c-1", "--kubeconfig", cluster}},
		{"why", []string{"pod/web-7c-3", "--kubeconfig", cluster}},
		{"why", []string{"-f", "testdata/world/new.yaml", "--kubeconfig", cluster}},
		{"drain", []string{"n1", "--snapshot", drainDump}},
		{"drain", []string{"n1", "--whole-node", "--snapshot", "testdata/drain/record.yaml"}},
		{"audit", []string{"-A", "--kubeconfig", cluster}},
		{"audit", []string{"-n", "free", "--kubeconfig", cluster}},
	} {
		t.Run(tt.verb+" "+strings.Join(tt.args[:2], " "), func(t *testing.T) {
			_, out, errs := invoke(t, "", append(append([]string{tt.verb}, tt.args...), "-o", "json")...)
			if errs != "" {
				t.Fatal(errs)
			}
			for _, wrong := range violations(t, tt.verb, out) {
				t.Error(wrong)
			}
		})
	}
}

// A validator that finds nothing wrong would prove nothing.
func TestSchemasRefuseOtherAnswers(t *testing.T) {
	for _, tt := range []struct{ name, verb, answer, wrong string }{
		{"a field that is missing", "lineage", `{"outcome":"Resolved","releases":[],"classes":[],"why":"","branches":[]}`, "object is missing"},
		{"a field that is not told of", "nodes", `{"nodes":[],"colour":"red"}`, "colour is not in the schema"},
		{"another type", "nodes", `{"nodes":[{"name":7,"ready":"True","schedulable":true,"taints":[],"addresses":[],"classes":[]}]}`, "name: 7 is no string"},
		{"null for a list", "nodes", `{"nodes":null}`, "nodes: <nil> is no array"},
		{"a fraction for a number", "audit", `{"summary":{"pods":1.5,"allowed":0,"denied":0,"warned":0,"notGoverned":0,"unknown":0,"outside":0},"releases":[]}`, "pods: 1.5 is no integer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if found := fmt.Sprint(violations(t, tt.verb, tt.answer)); !strings.Contains(found, tt.wrong) {
				t.Errorf("found %s, not %q", found, tt.wrong)
			}
		})
	}
}
