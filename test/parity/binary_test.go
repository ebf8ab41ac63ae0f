package parity_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// entry is a line of the corpus of binary values; its head says what the fields mean.
type entry struct {
	Value, Verdict, Path, Says, Becomes string
	Pad                                 int
}

func entries(t *testing.T) []entry {
	t.Helper()
	data, err := os.ReadFile("../testdata/binary-affinity/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []entry
	if err := yaml.UnmarshalStrict(data, &all); err != nil || len(all) < 200 {
		t.Fatalf("a corpus of %d values: %v", len(all), err)
	}
	return all
}

func (e entry) pod(name string) map[string]any {
	text := e.Value + strings.Repeat(" ", max(0, e.Pad-len(e.Value)))
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": name, "namespace": "shop",
		"annotations": map[string]any{binaryaffinity.Annotation: text}}, "spec": map[string]any{}}
}

// deployment has the same for its template.
func deployment(pod map[string]any) map[string]any {
	meta := pod["metadata"].(map[string]any)
	return map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": meta["name"], "namespace": "shop"},
		"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": meta["annotations"]}, "spec": map[string]any{}}}}
}

func TestTheServerAndTheShellAgreeOnBinaryValues(t *testing.T) {
	all := entries(t)
	var manifests []map[string]any
	for i, e := range all {
		pod := e.pod("p" + strconv.Itoa(i))
		manifests = append(manifests, pod, deployment(pod))
	}
	shell := checked(t, manifests)
	if len(shell) != len(manifests) {
		t.Fatalf("%d results of %d objects", len(shell), len(manifests))
	}
	for i, e := range all {
		server := judged(t, manifests[2*i])
		if malformed := e.Verdict == "malformed"; malformed != (server.Code == 400) || malformed == (len(server.Violations) == 0) {
			t.Errorf("%q: the server answers %+v", e.Value, server)
		}
		for _, result := range shell[2*i : 2*i+2] {
			if diff := cmp.Diff(server, result.answer()); diff != "" {
				t.Errorf("%q, path %q: server (-) and affinityctl (+) differ:\n%s", e.Value, result.Path, diff)
			}
			if result.Path != "" && len(result.Violations) > 0 && !strings.HasPrefix(result.Violations[0].Field, "spec.template.metadata.annotations[") {
				t.Errorf("%q: the path is %s", e.Value, result.Violations[0].Field)
			}
		}
	}
}

// checked is what affinityctl says of all, in one run.
func checked(t *testing.T, manifests []map[string]any) []result {
	t.Helper()
	input := filepath.Join(t.TempDir(), "input.json")
	write(t, input, list(t, manifests))
	out, err := exec.Command(affinityctl, "check", "-f", input, "-o", "json").Output()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != 1 {
		t.Fatalf("affinityctl: %v", err)
	}
	return results(t, out)
}

// judged is what the server answers once the API server has asked it to complete the
// Pod.
func judged(t *testing.T, pod map[string]any) answer {
	t.Helper()
	config := webhook.Config{
		Reviewer: review.New(review.Files(manifest.NewIndex()), review.Fixed{Policy: policy.New()}, review.Options{}),
		Recorder: silent{}, Metrics: webhook.NewMetrics(prometheus.NewRegistry()), Limits: webhook.DefaultLimits(), Log: logr.Discard(),
	}
	if patch := post(t, webhook.MutatePod(config), reviewOf(t, pod)).Patch; patch != nil {
		decoded, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			t.Fatal(err)
		}
		text, err := decoded.Apply(marshal(t, pod))
		if err != nil {
			t.Fatal(err)
		}
		pod = map[string]any{}
		if err := json.Unmarshal(text, &pod); err != nil {
			t.Fatal(err)
		}
	}
	return serverAnswer(post(t, webhook.ValidatePod(config, policy.Deny), reviewOf(t, pod)))
}
