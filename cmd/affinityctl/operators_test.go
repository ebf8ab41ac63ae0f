package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/workload"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

const operators = "../../test/testdata/operators"

// results are what check says of one file, held to class dc1.
type results struct {
	Results []struct {
		Verdict, Reason, Message, Path string
		Object                         struct{ Kind, Name string }
		Violations                     []struct{ Field string }
	}
	Summary struct{ Allowed, Denied, Unknown int }
}

func checkFile(t *testing.T, file string, args ...string) (int, results) {
	t.Helper()
	args = append([]string{"check", "-f", file, "--classes", "testdata/classes.yaml", "--class", "dc1", "-o", "json"}, args...)
	code, out, errs := invoke(t, "", args...)
	var r results
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%s: %v, stderr %s", file, err, errs)
	}
	return code, r
}

// denied are the fields that the first line of a bad manifest lists.
func denied(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	list, ok := strings.CutPrefix(first, "# denied: ")
	if !ok {
		t.Fatalf("%s does not say what is denied", file)
	}
	return strings.Split(list, ", ")
}

func TestResourcesOfOperators(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(operators, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			code, found := checkFile(t, file)
			var fields []string
			for _, r := range found.Results {
				for _, v := range r.Violations {
					fields = append(fields, v.Field)
					if !strings.Contains(r.Message, v.Field) {
						t.Errorf("%q does not name %s", r.Message, v.Field)
					}
				}
			}
			if strings.HasSuffix(file, ".good.yaml") {
				if code != 0 || found.Summary.Allowed == 0 || len(fields) > 0 {
					t.Errorf("exit code %d, %+v, %v", code, found.Summary, fields)
				}
				return
			}
			if diff := cmp.Diff(denied(t, file), fields); code != 1 || diff != "" {
				t.Errorf("exit code %d; denied (-), got (+):\n%s", code, diff)
			}
		})
	}
}

func TestEveryKindOfTheTableHasAGoodAndABadManifest(t *testing.T) {
	for _, suffix := range []string{".good.yaml", ".bad.yaml"} {
		files, err := filepath.Glob(filepath.Join(operators, "*"+suffix))
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, file := range files {
			text, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			documents, err := manifest.Read(file, text)
			text.Close()
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range documents {
				shown = append(shown, d.Object.GroupKind.String())
			}
		}
		for _, kind := range workload.Operators().Kinds() {
			if !slices.Contains(shown, kind.String()) {
				t.Errorf("no *%s shows %s", suffix, kind)
			}
		}
	}
}

const unknownKind = `apiVersion: example.org/v1
kind: Cache
metadata: {name: a, namespace: shop}
spec:
  size: 3
  pods: {tolerations: [], nodeSelector: {topology.kubernetes.io/zone: dc1}}
`

func TestAKindThatIsNotKnownIsNamed(t *testing.T) {
	tests := []struct {
		name, text string
		unknown    int
		message    string
	}{
		{"with fields of a Pod", unknownKind, 1, "Cache shop/a: not checked: spec.pods.nodeSelector looks like a Pod's"},
		{"with containers in a list", `{"apiVersion":"example.org/v1","kind":"Farm","metadata":{"name":"a"},"spec":{"workers":[{"containers":[]}]}}`, 1, "spec.workers[0].containers"},
		{"without a field of a Pod", `{"apiVersion":"example.org/v1","kind":"Rule","metadata":{"name":"a"},"spec":{"affinity":"none"}}`, 0, ""},
		{"metadata and status say nothing", `{"apiVersion":"example.org/v1","kind":"Rule","metadata":{"name":"a"},"status":{"affinity":{}}}`, 0, ""},
		{"a kind of Kubernetes that makes none", `{"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"a"},"scheduling":{"nodeSelector":{},"tolerations":[]}}`, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.yaml")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, found := checkFile(t, file)
			if found.Summary.Unknown != tt.unknown || code != tt.unknown {
				t.Fatalf("exit code %d, %+v", code, found)
			}
			if tt.unknown > 0 && (found.Results[0].Reason != "NotChecked" || !strings.Contains(found.Results[0].Message, tt.message)) {
				t.Errorf("got %+v, want %q", found.Results[0], tt.message)
			}
		})
	}
}

func TestPathsAddKinds(t *testing.T) {
	tests := []struct {
		name, paths string
		code        int
		summary     string
		stderr      string
	}{
		{"a role", "kinds:\n- {group: example.org, kind: Cache, roles: [{at: spec, pod: [pods], nodeSelector: [nodeSelector]}]}\n", 0, "1 allowed, 0 denied", ""},
		{"other Pods", "kinds:\n- {group: example.org, kind: Cache, roles: [{at: spec, pod: [template], nodeSelector: [nodeSelector]}]}\n", 1, "0 allowed, 1 denied", ""},
		{"no Pods", "kinds:\n- {group: example.org, kind: Cache}\n", 0, "0 allowed, 0 denied", ""},
		{"a field that is not known", "kinds:\n- {group: example.org, kind: Cache, rolls: []}\n", 2, "", `unknown field "kinds[0].rolls"`},
		{"a path that is none", "kinds:\n- {group: example.org, kind: Cache, roles: [{at: spec..a, bare: b}]}\n", 2, "", `kinds[0].roles[0].at: "spec..a"`},
		{"nothing", "kinds: []\n", 2, "", "kinds: the list is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "paths.yaml")
			if err := os.WriteFile(file, []byte(tt.paths), 0o600); err != nil {
				t.Fatal(err)
			}
			code, out, errs := invoke(t, unknownKind, "check", "-f", "-", "--classes", "testdata/classes.yaml", "--class", "dc1", "--paths", file)
			if code != tt.code || !strings.Contains(out, tt.summary) || !strings.Contains(errs, tt.stderr) {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
			if code == 2 && !strings.HasPrefix(errs, "error: "+file) {
				t.Errorf("%q does not name the file", errs)
			}
		})
	}
}
