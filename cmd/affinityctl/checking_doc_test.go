package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// snippets are the YAML blocks of docs/checking.md, decoded.
func snippets(t *testing.T) []map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../docs/checking.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []map[string]any
	for _, block := range yamlBlock.FindAllSubmatch(text, -1) {
		var snippet map[string]any
		if err := yaml.UnmarshalStrict(block[1], &snippet); err != nil {
			t.Fatalf("%v in\n%s", err, block[1])
		}
		found = append(found, snippet)
	}
	return found
}

// with is the snippet that has the field.
func with(t *testing.T, field string) map[string]any {
	t.Helper()
	for _, snippet := range snippets(t) {
		if _, ok := snippet[field]; ok {
			return snippet
		}
	}
	t.Fatalf("docs/checking.md shows nothing with %s", field)
	return nil
}

func TestTheDocumentedPathsAreRead(t *testing.T) {
	text, err := yaml.Marshal(with(t, "kinds"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := check.ReadPaths(text)
	if err != nil || len(entries) != 2 || len(entries[1].Roles) != 0 {
		t.Errorf("got %+v, %v", entries, err)
	}
}

// holds says that the commands run, where the example of the help is, and write what
// is uploaded.
func holds(t *testing.T, commands []string, uploaded string) {
	t.Helper()
	bin, dir := program(t), copyOf(t, "testdata/examples")
	for _, line := range commands {
		if !strings.HasPrefix(line, "affinityctl ") {
			continue
		}
		if code, out := try(t, bin, dir, line); code != 0 {
			t.Errorf("%s: exit code %d\n%s", line, code, out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, uploaded)); err != nil || len(text) == 0 {
		t.Errorf("%q is uploaded and not written: %v", uploaded, err)
	}
}

func TestTheSnippetForGitHub(t *testing.T) {
	var workflow struct {
		On   any
		Jobs map[string]struct {
			RunsOn string `json:"runs-on"`
			Steps  []struct {
				Uses, Run, If string
				With          map[string]string
			}
		}
	}
	decode(t, with(t, "jobs"), &workflow)
	var commands []string
	uploaded := ""
	for _, job := range workflow.Jobs {
		if job.RunsOn == "" {
			t.Error("the job runs nowhere")
		}
		for _, step := range job.Steps {
			if (step.Uses == "") == (step.Run == "") {
				t.Errorf("a step has to use or to run something: %+v", step)
			}
			commands = append(commands, step.Run)
			if strings.Contains(step.Uses, "upload-sarif@") {
				uploaded = step.With["sarif_file"]
				if step.If != "always()" {
					t.Error("what is found is not uploaded when something is")
				}
			}
		}
	}
	holds(t, commands, uploaded)
}

func TestTheSnippetForGitLab(t *testing.T) {
	var pipeline struct {
		Affinity struct {
			Image        string
			BeforeScript []string `json:"before_script"`
			Script       []string
			Artifacts    struct {
				When    string
				Reports struct{ JUnit string }
			}
		}
	}
	decode(t, with(t, "affinity"), &pipeline)
	job := pipeline.Affinity
	if job.Image == "" || len(job.BeforeScript) == 0 || job.Artifacts.When != "always" {
		t.Errorf("got %+v", job)
	}
	holds(t, job.Script, job.Artifacts.Reports.JUnit)
}

func decode(t *testing.T, from, into any) {
	t.Helper()
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func TestTheJSONIsAsItsSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/check.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	bad, err := filepath.Glob(filepath.Join(operators, "*.bad.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	runs := [][]string{{"-f", "testdata/input", "--classes", "testdata/classes.yaml"}, {"-f", "testdata/input", "--classes", "testdata/classes.yaml", "--class", "fast"},
		{"--chart", "../../charts/examples/forgetful", "--classes", "testdata/classes.yaml", "--class", "fast"}, {"-f", "testdata/examples/cache.yaml"}}
	for _, file := range bad {
		runs = append(runs, []string{"-f", file, "--classes", "testdata/classes.yaml", "--class", "dc1"})
	}
	verdicts := map[string]bool{}
	for _, args := range runs {
		code, out, errs := invoke(t, "", append([]string{"check", "-o", "json"}, args...)...)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(out))
		if code > 1 || err != nil {
			t.Fatalf("%v: exit code %d, %v, %s", args, code, err, errs)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		for _, result := range value.(map[string]any)["results"].([]any) {
			verdicts[result.(map[string]any)["verdict"].(string)] = true
		}
	}
	for _, verdict := range []string{"Allowed", "Denied", "NotGoverned", "Unknown"} {
		if !verdicts[verdict] {
			t.Errorf("no run had the verdict %s", verdict)
		}
	}
	if err := schema.Validate(map[string]any{"results": []any{}}); err == nil {
		t.Error("the schema takes a report without a summary")
	}
}

// The list of the fields by which a kind shows that it makes Pods is the program's.
func TestTheDocumentedFieldsAreTheOnesLookedFor(t *testing.T) {
	text, err := os.ReadFile("../../docs/checking.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### Kinds that are not known")
	sentence, _, _ := strings.Cut(section, ", anywhere")
	var shown []string
	for _, match := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(sentence, -1) {
		shown = append(shown, match[1])
	}
	if !slices.Equal(shown, check.PodFields()) {
		t.Errorf("shown %v, looked for %v", shown, check.PodFields())
	}
}
