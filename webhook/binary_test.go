package webhook_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook"
)

const binaryPath = "metadata.annotations[affinity.cozystack.io/binary]"

// asking is a Pod of release db, in dc1, that asks by a value.
func asking(t *testing.T, value string) *corev1.Pod {
	t.Helper()
	var in admissionv1.AdmissionReview
	pod := &corev1.Pod{}
	if err := json.Unmarshal([]byte(good()), &in); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(in.Request.Object.Raw, pod); err != nil {
		t.Fatal(err)
	}
	pod.Annotations = map[string]string{binaryaffinity.Annotation: value}
	return pod
}

// reviewing is the review of a Pod's creation or, with an old one, of its update.
func reviewing(t *testing.T, pod, old *corev1.Pod) string {
	t.Helper()
	body := map[string]any{"uid": "u1", "resource": map[string]any{"group": "", "version": "v1", "resource": "pods"},
		"namespace": "shop", "operation": "CREATE", "object": pod, "userInfo": map[string]any{"username": "jane"}}
	if old != nil {
		body["operation"], body["oldObject"] = "UPDATE", old
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": body})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mutated is the Pod as the mutating side makes it.
func mutated(t *testing.T, s *server, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	got := answer(t, post(t, webhook.MutatePod(s.config), reviewing(t, pod, nil)))
	if !got.Allowed || got.Patch == nil {
		return pod
	}
	patch, err := jsonpatch.DecodePatch(got.Patch)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = patch.Apply(text); err != nil {
		t.Fatalf("%s: %v", got.Patch, err)
	}
	out := &corev1.Pod{}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func modes() []policy.Mode { return []policy.Mode{policy.Deny, policy.Warn, policy.Audit} }

// entry is a line of the corpus; its head says what the fields mean.
type entry struct {
	Value, Verdict, Path, Says, Becomes string
	Pad                                 int
}

func (e entry) text() string { return e.Value + strings.Repeat(" ", max(0, e.Pad-len(e.Value))) }

func corpus(t *testing.T) []entry {
	data, err := os.ReadFile("../test/testdata/binary-affinity/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	if err := yaml.UnmarshalStrict(data, &entries); err != nil || len(entries) < 200 {
		t.Fatalf("a corpus of %d values: %v", len(entries), err)
	}
	return entries
}

func TestEveryValueOfTheCorpusHasItsAnswerThroughTheHandler(t *testing.T) {
	dark := serve(func(lineage.Ref) (*lineage.Object, error) { return nil, errors.New("timeout") })
	light := serve(release)
	for _, e := range corpus(t) {
		t.Run(strings.ToValidUTF8(e.Verdict+" "+e.Value[:min(len(e.Value), 60)], "?"), func(t *testing.T) {
			if e.Verdict != "malformed" {
				e.accepted(t, light)
				return
			}
			for _, mode := range modes() {
				pod := mutated(t, dark, asking(t, e.text()))
				if pod.Spec.Affinity != nil || len(pod.Annotations) != 1 {
					t.Errorf("a value that cannot be read was translated: %+v", pod.Spec.Affinity)
				}
				old := asking(t, "{}")
				e.refused(t, post(t, webhook.ValidatePod(dark.config, mode), reviewing(t, pod, nil)).Body.Bytes())
				e.refused(t, post(t, webhook.ValidatePod(dark.config, mode), reviewing(t, pod, old)).Body.Bytes())
			}
		})
	}
}

func (e entry) refused(t *testing.T, body []byte) {
	t.Helper()
	var out admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &out); err != nil || out.Response == nil {
		t.Fatalf("no review in %s: %v", body, err)
	}
	got := out.Response
	if got.Allowed || got.Result.Code != http.StatusBadRequest || got.AuditAnnotations["reason"] != "BinaryMalformed" {
		t.Fatalf("got %s", body)
	}
	first := got.Result.Details.Causes[0]
	if first.Field != binaryPath+e.Path || !strings.Contains(first.Message, e.Says) || !strings.Contains(got.Result.Message, e.Says) {
		t.Errorf("wanted %s%s and %q, got %s", binaryPath, e.Path, e.Says, body)
	}
}

func (e entry) accepted(t *testing.T, s *server) {
	t.Helper()
	pod := mutated(t, s, asking(t, e.text()))
	if want := e.Becomes; want != "{}" && pod.Annotations[binaryaffinity.TranslatedAnnotation] != want {
		t.Errorf("recorded %q, wanted %s", pod.Annotations, want)
	}
	for _, mode := range modes() {
		got := answer(t, post(t, webhook.ValidatePod(s.config, mode), reviewing(t, pod, nil)))
		if !got.Allowed || got.AuditAnnotations["reason"] != "ContractKept" {
			t.Fatalf("got %+v", got)
		}
		if weighted := e.Verdict == "weighted"; weighted != (len(got.Warnings) == 1) {
			t.Errorf("warnings %q", got.Warnings)
		}
	}
}

func TestTermsAreAddedAtTheEndOfWhatThePodHas(t *testing.T) {
	const own = `{"topologyKey":"zone","labelSelector":{"matchLabels":{"a":"b"}}}`
	term := func(tag string) string {
		return `{"labelSelector":{"matchExpressions":[{"key":"tag.affinity.cozystack.io/` + tag + `","operator":"Exists"}]},"topologyKey":"kubernetes.io/hostname"}`
	}
	const required, preferred = `"requiredDuringSchedulingIgnoredDuringExecution"`, `"preferredDuringSchedulingIgnoredDuringExecution"`
	record := func(value string) string {
		return `,{"op":"add","path":"/metadata/annotations/affinity.cozystack.io~1translated","value":` + fmt.Sprintf("%q", value) + `}`
	}
	for _, tt := range []struct{ reason, value, affinity, want string }{
		{"missing parents are made, outermost first", `{"require_with_tag":["b","a"]}`, "",
			`{"op":"add","path":"/spec/affinity","value":{"podAffinity":{` + required + `:[` + term("a") + "," + term("b") + `]}}}` + record(`{"require_with_tag":["a","b"]}`)},
		{"node affinity beside it stays", `{"prefer_without_tag":["a"]}`, `{"nodeAffinity":{}}`,
			`{"op":"add","path":"/spec/affinity/podAntiAffinity","value":{` + preferred + `:[{"weight":100,"podAffinityTerm":` + term("a") + `}]}}` + record(`{"prefer_without_tag":["a"]}`)},
		{"a list that is there is appended to", `{"require_without_tag":["a"]}`, `{"podAntiAffinity":{` + required + `:[` + own + `]}}`,
			`{"op":"add","path":"/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/-","value":` + term("a") + `}` + record(`{"require_without_tag":["a"]}`)},
		{"a list that is not there is made", `{"prefer_with_tag":["a"]}`, `{"podAffinity":{` + required + `:[` + own + `]}}`,
			`{"op":"add","path":"/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution","value":[{"weight":100,"podAffinityTerm":` + term("a") + `}]}` + record(`{"prefer_with_tag":["a"]}`)},
		{"what is translated is not translated twice", `{"require_with_tag":["a","b"]}`, `{"podAffinity":{` + required + `:[` + term("b") + "," + own + `]}}`,
			`{"op":"add","path":"/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/-","value":` + term("a") + `}` + record(`{"require_with_tag":["a","b"]}`)},
		{"nothing is asked", `{}`, "", ""},
		{"it cannot be read", `{"a":1.5}`, "", ""},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := serve(func(lineage.Ref) (*lineage.Object, error) { return nil, errors.New("timeout") })
			pod := asking(t, tt.value)
			if tt.affinity != "" {
				pod.Spec.Affinity = &corev1.Affinity{}
				if err := json.Unmarshal([]byte(tt.affinity), pod.Spec.Affinity); err != nil {
					t.Fatal(err)
				}
			}
			got, want := answer(t, post(t, webhook.MutatePod(s.config), reviewing(t, pod, nil))), ""
			if tt.want != "" {
				want = "[" + tt.want + "]"
			}
			if diff := cmp.Diff(want, string(got.Patch)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAskedAgainNothingIsAddedWhateverTheOrder(t *testing.T) {
	s := serve(release)
	pod := mutated(t, s, asking(t, `{"require_with_tag":["a","b"],"prefer_without_tag":["c","d"]}`))
	slices.Reverse(pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	slices.Reverse(pod.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	if got := answer(t, post(t, webhook.MutatePod(s.config), reviewing(t, pod, nil))); got.Patch != nil {
		t.Errorf("got %s", got.Patch)
	}
}

func TestARecordThatATenantWroteIsTakenAway(t *testing.T) {
	s := serve(release)
	pod := asking(t, "")
	pod.Annotations = map[string]string{binaryaffinity.TranslatedAnnotation: `{"require_with_tag":["a"]}`}
	if got := mutated(t, s, pod); len(got.Annotations) != 0 {
		t.Errorf("got %v", got.Annotations)
	}
}

func TestAPodWithoutTheTermsThatItRequiresIsNotLetIn(t *testing.T) {
	const value = `{"require_with_tag":["a"],"require_without_tag":["b"],"prefer_with_tag":["c"]}`
	for _, tt := range []struct {
		reason string
		take   func(*corev1.Affinity)
		code   int32
	}{
		{"all are there", func(*corev1.Affinity) {}, 0},
		{"a preference is no promise", func(a *corev1.Affinity) { a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = nil }, 0},
		{"one to be with is gone", func(a *corev1.Affinity) { a.PodAffinity = nil }, 503},
		{"one to be without is gone", func(a *corev1.Affinity) { a.PodAntiAffinity = nil }, 503},
		{"one was widened to another namespace", func(a *corev1.Affinity) {
			a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].Namespaces = []string{"other"}
		}, 503},
	} {
		for _, mode := range modes() {
			t.Run(fmt.Sprintf("%s, %s", tt.reason, mode), func(t *testing.T) {
				s := serve(release)
				pod := mutated(t, s, asking(t, value))
				tt.take(pod.Spec.Affinity)
				got := answer(t, post(t, webhook.ValidatePod(s.config, mode), reviewing(t, pod, nil)))
				if got.Allowed != (tt.code == 0) {
					t.Fatalf("got %+v", got)
				}
				if tt.code != 0 && (got.Result.Code != tt.code || got.AuditAnnotations["reason"] != "BinaryLost" || len(s.recorder.refused) != 1) {
					t.Errorf("got %+v, Events %v", got, s.recorder.refused)
				}
			})
		}
	}
}
