// Package parity_test sends one corpus through the server's HTTP handler and
// through the affinityctl program: the verdict, the code and the violations must
// be the same, since both claim to take the production decision.
package parity_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// answer is what both sides must agree on.
type answer struct {
	Verdict, Reason, Class, Release string
	Code                            int32
	Violations                      []string
}

var affinityctl string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "parity")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	affinityctl = filepath.Join(dir, "affinityctl")
	command := exec.Command("go", "build", "-o", affinityctl, "github.com/cozystack/affinityclass/cmd/affinityctl")
	if out, err := command.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build affinityctl: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

func TestTheServerAndTheShellAgree(t *testing.T) {
	subjects := append(append(chains(), broken()...), templates()...)
	seen := map[string]int{}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			server, shell := askServer(t, s), askShell(t, s)
			if diff := cmp.Diff(server, shell); diff != "" {
				t.Errorf("server (-) and affinityctl (+) differ:\n%s", diff)
			}
		})
		seen[askServer(t, s).Reason]++
	}
	t.Logf("%d subjects, by the server's reason: %v", len(subjects), seen)
	for _, reason := range []review.Reason{review.ContractKept, review.ContractBroken, review.ClassNotFound,
		review.ClassMalformed, review.NoClass, review.NoRelease, review.OwnerBroken} {
		if seen[string(reason)] == 0 {
			t.Errorf("no subject of the corpus ends in %s", reason)
		}
	}
}

// askServer posts the Pod to the validating handler, whose lineage and classes
// come from the same manifests.
func askServer(t *testing.T, s subject) answer {
	t.Helper()
	documents, err := manifest.Read("corpus", bytes.NewReader(list(t, s.manifests)))
	if err != nil {
		t.Fatal(err)
	}
	handler := webhook.ValidatePod(webhook.Config{
		Reviewer: review.New(review.Files(manifest.NewIndex(documents...)), review.Fixed{Policy: compiled(t)}, review.Options{}),
		Recorder: silent{}, Metrics: webhook.NewMetrics(prometheus.NewRegistry()),
		Limits: webhook.DefaultLimits(), Log: logr.Discard(),
	}, policy.Deny)
	request := httptest.NewRequest(http.MethodPost, "/validate-pod", bytes.NewReader(reviewOf(t, s.pod)))
	request.Header.Set("Content-Type", "application/json")
	recorded := httptest.NewRecorder()
	handler.ServeHTTP(recorded, request)
	var out admissionv1.AdmissionReview
	if err := json.Unmarshal(recorded.Body.Bytes(), &out); err != nil || out.Response == nil {
		t.Fatalf("HTTP %d: %s", recorded.Code, recorded.Body)
	}
	return serverAnswer(out.Response)
}

func serverAnswer(r *admissionv1.AdmissionResponse) answer {
	a := answer{Verdict: r.AuditAnnotations["verdict"], Reason: r.AuditAnnotations["reason"],
		Class: r.AuditAnnotations["class"], Release: r.AuditAnnotations["release"]}
	if r.Allowed {
		return a // what a tolerated violation says is in the warnings and the audit log
	}
	a.Code = r.Result.Code
	for _, cause := range r.Result.Details.Causes {
		switch cause.Type {
		case metav1.CauseTypeFieldValueInvalid: // of a binary value
			a.Violations = append(a.Violations, cause.Field+" "+cause.Message)
		case review.CauseViolation:
			message := cause.Message
			if strings.HasPrefix(message, "AffinityClass ") { // else it is the fence's
				_, message, _ = strings.Cut(message, ": ")
			}
			a.Violations = append(a.Violations, cause.Field+" "+message)
		}
	}
	return a
}

// askShell runs the program on the first manifest, with the others as context.
func askShell(t *testing.T, s subject) answer {
	t.Helper()
	dir := t.TempDir()
	input, context := filepath.Join(dir, "input.json"), filepath.Join(dir, "classes.json")
	write(t, input, list(t, s.manifests[:1]))
	write(t, context, list(t, append(classes(), s.manifests[1:]...)))
	out, err := exec.Command(affinityctl, "check", "-f", input, "--classes", context, "-o", "json").Output()
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 1) {
		t.Fatalf("affinityctl: %v: %s", err, failed.Stderr)
	}
	return shellAnswer(t, out)
}

// result is what affinityctl says of one object.
type result struct {
	Path, Class, Release, Verdict, Reason string
	Code                                  int32
	Violations                            []struct{ Field, Key, Message string }
}

func shellAnswer(t *testing.T, out []byte) answer {
	t.Helper()
	return results(t, out)[0].answer()
}

func results(t *testing.T, out []byte) []result {
	t.Helper()
	var report struct{ Results []result }
	if err := json.Unmarshal(out, &report); err != nil || len(report.Results) == 0 {
		t.Fatalf("no result in %s: %v", out, err)
	}
	return report.Results
}

func (result result) answer() answer {
	a := answer{Verdict: result.Verdict, Reason: result.Reason, Class: result.Class, Release: result.Release}
	if result.Verdict != string(review.Denied) {
		return a
	}
	a.Code = result.Code
	for _, v := range result.Violations {
		field := strings.TrimPrefix(v.Field, result.Path+".")
		if v.Key != "" {
			field += "[" + v.Key + "]"
		}
		a.Violations = append(a.Violations, field+" "+v.Message)
	}
	return a
}

type silent struct{}

func (silent) Record(*review.Verdict)        {}
func (silent) RecordWeights(*review.Verdict) {}

func compiled(t *testing.T) *policy.Snapshot {
	t.Helper()
	var all []*v1alpha1.AffinityClass
	for _, content := range classes() {
		class := &v1alpha1.AffinityClass{}
		if err := json.Unmarshal(marshal(t, content), class); err != nil {
			t.Fatal(err)
		}
		all = append(all, class)
	}
	return policy.New(all...)
}

func reviewOf(t *testing.T, pod map[string]any) []byte {
	namespace := pod["metadata"].(map[string]any)["namespace"]
	return marshal(t, map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": map[string]any{
		"uid": "u1", "resource": map[string]any{"group": "", "version": "v1", "resource": "pods"},
		"namespace": namespace, "operation": "CREATE", "object": pod,
	}})
}

func list(t *testing.T, items []map[string]any) []byte {
	return marshal(t, map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
