package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// chartOf writes a chart: files by their paths in it, Chart.yaml unless given.
func chartOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shop")
	if files["Chart.yaml"] == "" {
		files["Chart.yaml"] = "apiVersion: v2\nname: shop\nversion: 0.1.0\n"
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func checkChart(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return invoke(t, "", append([]string{"check", "--chart", dir, "-n", "shop", "--classes", "testdata/classes.yaml"}, args...)...)
}

// Two Deployments of one template, the second of which forgets the class.
const pair = `{{- /* both come of one range */}}
{{- range $name := list "good" "bad" }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels:
    {{- include "shop.labels" $ | nindent 4 }}
spec:
  template:
    spec:
      {{- if eq $name "good" }}
      nodeSelector: {{- toYaml $.Values._scheduling.nodeSelector | nindent 8 }}
      {{- end }}
      containers:
        - name: main
          image: a
{{- end }}
`

const labels = `{{- define "shop.labels" -}}
app: shop
release: {{ .Release.Name }}
{{- end }}
`

func job(name, hook string) string {
	return fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: %s\n  annotations: {helm.sh/hook: %s}\nspec: {template: {spec: {containers: []}}}\n", name, hook)
}

type told struct {
	Name, File, Verdict string
	Line, End           int
	Mend                string
}

func tell(t *testing.T, dir, out string) []told {
	t.Helper()
	var report struct {
		Results []struct {
			Object  struct{ Name string }
			Verdict string
			Mend    string
			Source  struct {
				File    string
				Line    int
				EndLine int
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var all []told
	for _, r := range report.Results {
		file, err := filepath.Rel(dir, r.Source.File)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, told{r.Object.Name, filepath.ToSlash(file), r.Verdict, r.Source.Line, r.Source.EndLine, r.Mend})
	}
	return all
}

const include = `make cozy-lib a dependency of the chart; then, in spec.template.spec, {{- include "cozy-lib.scheduling.podSpec" $ | nindent %d }}`

func TestAChartIsTracedToItsTemplates(t *testing.T) {
	dir := chartOf(t, map[string]string{
		"templates/pair.yaml":                pair,
		"templates/_labels.tpl":              labels,
		"templates/NOTES.txt":                "Thanks: {{ .Release.Name }}",
		"templates/hook.yaml":                "# a hook\n\n" + job("migrate", "pre-upgrade"),
		"charts/cache/Chart.yaml":            "apiVersion: v2\nname: cache\nversion: 0.1.0\n",
		"charts/cache/templates/deploy.yaml": job("sub", "post-install"),
		"crds/a.yaml":                        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec: {containers: []}\n",
		"templates/random.yaml":              "{{- range until (randNumeric 1 | int) }}{{- end }}\n" + job("random", "test"),
	})
	code, out, errs := checkChart(t, dir, "--class", "dc1", "-o", "json")
	if code != 1 || errs != "" {
		t.Fatalf("exit code %d, %s", code, errs)
	}
	want := []told{
		{"sub", "charts/cache/templates/deploy.yaml", "Denied", 6, 6, "a subchart is not given the class: deploy it by a HelmRelease of its own, or hand the class on in its values"},
		{"migrate", "templates/hook.yaml", "Denied", 8, 8, fmt.Sprintf(include, 24)},
		{"good", "templates/pair.yaml", "Allowed", 4, 18, ""},
		{"bad", "templates/pair.yaml", "Denied", 16, 18, fmt.Sprintf(include, 6)},
		{"random", "templates/random.yaml", "Denied", 7, 7, fmt.Sprintf(include, 24)},
	}
	if diff := cmp.Diff(want, tell(t, dir, out)); diff != "" {
		t.Errorf("wanted (-), got (+):\n%s", diff)
	}
}

func TestWhatAChartSees(t *testing.T) {
	see := func(what string) map[string]string {
		return map[string]string{
			"values.yaml": "_scheduling: {affinityClass: own, extra: own}\naffinityClass: fast\n",
			"templates/a.yaml": `apiVersion: v1
kind: Pod
metadata: {name: "` + what + `"}
spec: {nodeSelector: {topology.kubernetes.io/zone: dc1}}
`,
		}
	}
	tests := []struct {
		name, template string
		args           []string
		want           string
	}{
		{"the class", "{{ .Values._scheduling.affinityClass }}", []string{"--class", "dc1"}, "dc1"},
		{"the class that the release's values name", "{{ .Values._scheduling.affinityClass }}", []string{"--set", "affinityClass=dc1"}, "dc1"},
		{"the class in place of what a user wrote", "{{ .Values._scheduling.affinityClass }}", []string{"--class", "dc1", "--set", "_scheduling.affinityClass=mine"}, "dc1"},
		{"every key always", "{{ .Values._scheduling.tolerations | toJson | b64enc }}", []string{"--class", "dc1"}, "W10="},
		{"the contract as an affinity", "{{ (first .Values._scheduling.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms | toJson | contains `dc1`) }}", []string{"--class", "dc1"}, "true"},
		{"its name for a release", "{{ .Release.Name }}", []string{"--class", "dc1"}, "shop"},
		{"the release's name", "{{ .Release.Name }}-{{ .Release.IsInstall }}", []string{"--class", "dc1", "--release-name", "web"}, "web-true"},
		{"the namespace", "{{ .Release.Namespace }}", []string{"--class", "dc1"}, "shop"},
		{"no cluster", "n{{ len (lookup `v1` `Secret` `` ``) }}", []string{"--class", "dc1"}, "n0"},
		{"a further API", "{{ .Capabilities.APIVersions.Has `a.org/v1` }}", []string{"--class", "dc1", "--api-versions", "a.org/v1"}, "true"},
		{"a Kubernetes version", "{{ .Capabilities.KubeVersion.Minor }}", []string{"--class", "dc1", "--kube-version", "1.29.3"}, "29"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := chartOf(t, see(tt.template))
			code, out, errs := checkChart(t, dir, append(tt.args, "-o", "json")...)
			if code != 0 {
				t.Fatalf("exit code %d, %s%s", code, out, errs)
			}
			if got := tell(t, dir, out)[0].Name; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestValuesOfFilesAndFlags(t *testing.T) {
	dir := chartOf(t, map[string]string{"templates/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Values.a }}-{{ .Values.b }}-{{ .Values.c }}}\nspec: {nodeSelector: {topology.kubernetes.io/zone: dc1}}\n",
		"values.yaml": "{a: chart, b: chart, c: chart}\n", "one.yaml": "{b: one, c: one}\n", "two.yaml": "c: two\n"})
	_, out, errs := checkChart(t, dir, "--class", "dc1", "--values", dir+"/one.yaml", "--values", dir+"/two.yaml", "--set", "a=set", "-o", "json")
	if got := tell(t, dir, out); len(got) != 1 || got[0].Name != "set-one-two" {
		t.Errorf("got %v, %s", got, errs)
	}
}

func TestAChartThatCannotBeJudged(t *testing.T) {
	good := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	tests := []struct {
		name   string
		files  map[string]string
		args   []string
		stderr string // a part of it, DIR for the chart
	}{
		{"no class", map[string]string{"templates/a.yaml": good}, nil, "name the class of the release with --class"},
		{"a class that is not there", map[string]string{"templates/a.yaml": good}, []string{"--class", "dc9"}, `AffinityClass "dc9": `},
		{"two classes", map[string]string{"templates/a.yaml": good}, []string{"--class", "dc1", "--set", "affinityClass=fast"}, "--class dc1, but the values name affinityClass fast"},
		{"a class that is no string", map[string]string{"templates/a.yaml": good}, []string{"--set", "affinityClass=1"}, "affinityClass 1, which is not a string"},
		{"a template that does not parse", map[string]string{"templates/a.yaml": good + "\n{{ if }}\n"}, []string{"--class", "dc1"}, "DIR/templates/a.yaml:5"},
		{"a template that fails", map[string]string{"templates/a.yaml": good + "a: {{ required \"say b\" .Values.b }}\n"}, []string{"--class", "dc1"}, "DIR/templates/a.yaml:4"},
		{"a subchart's template that fails", map[string]string{"charts/x/Chart.yaml": "apiVersion: v2\nname: x\nversion: 0.1.0\n", "charts/x/templates/a.yaml": "\n{{ fail \"no\" }}\n"}, []string{"--class", "dc1"}, "DIR/charts/x/templates/a.yaml:2"},
		{"YAML that does not parse", map[string]string{"templates/a.yaml": "{{- if true }}\n{{- end }}\n" + good + "---\na: b\n  c: d\n"}, []string{"--class", "dc1"}, "DIR/templates/a.yaml: document 2, line 8: "},
		{"an object without a kind", map[string]string{"templates/a.yaml": "\n\n{{ include \"x\" . }}\n", "templates/_x.tpl": `{{ define "x" }}a: b{{ end }}`}, []string{"--class", "dc1"}, "DIR/templates/a.yaml: document 1, line 3: the object has no apiVersion"},
		{"a field of another type", map[string]string{"templates/a.yaml": "{{- if true }}\n{{- end }}\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {nodeSelector: []}\n"}, []string{"--class", "dc1"}, "DIR/templates/a.yaml: document 1, line "},
		{"values against the schema", map[string]string{"templates/a.yaml": good, "values.schema.json": `{"properties":{"a":{"type":"string"}}}`}, []string{"--class", "dc1", "--set", "a=1"}, "DIR"},
		{"a missing dependency", map[string]string{"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies: [{name: x, version: 0.1.0}]\n"}, []string{"--class", "dc1"}, "dependency x is not in charts/"},
		{"no chart", map[string]string{"Chart.yaml": "a: [\n"}, []string{"--class", "dc1"}, "load chart DIR"},
		{"values that do not parse", map[string]string{"templates/a.yaml": good, "v.yaml": "a: [\n"}, []string{"--class", "dc1", "--values", "DIR/v.yaml"}, "DIR/v.yaml: "},
		{"another Kubernetes", map[string]string{"Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\nkubeVersion: \">=1.30\"\n"}, []string{"--class", "dc1", "--kube-version", "1.29.0"}, "wants Kubernetes >=1.30"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := chartOf(t, tt.files)
			for i := range tt.args {
				tt.args[i] = strings.ReplaceAll(tt.args[i], "DIR", dir)
			}
			code, out, errs := checkChart(t, dir, tt.args...)
			if want := strings.ReplaceAll(tt.stderr, "DIR", dir); code != 2 || out != "" || !strings.Contains(errs, want) {
				t.Errorf("exit code %d\n%s%s\nwant %s", code, out, errs, want)
			}
			if strings.Count(errs, "\n") != 1 && !strings.Contains(tt.name, "schema") {
				t.Errorf("more than one line: %s", errs)
			}
		})
	}
}

func TestFlagsOfAChartNeedOne(t *testing.T) {
	code, _, errs := invoke(t, goodPod, "check", "-f", "-", "--set", "a=b")
	if code != 2 || !strings.Contains(errs, "--set goes with --chart") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

func TestTheExamplesKeepTheirClassButOne(t *testing.T) {
	charts, err := filepath.Glob("../../charts/examples/*")
	if err != nil || len(charts) < 5 {
		t.Fatal(charts, err)
	}
	for _, dir := range charts {
		for _, class := range []string{"dc1", "fast"} {
			start := time.Now()
			code, out, errs := checkChart(t, dir, "--class", class)
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%s took %s", dir, took)
			}
			if forgets := strings.HasSuffix(dir, "forgetful"); (code == 1) != forgets || code > 1 {
				t.Errorf("%s in %s: exit code %d\n%s%s", dir, class, code, out, errs)
			}
		}
	}
}
