package webhook_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/webhook"
)

// FuzzValidatePod holds the narrow decoder to the wide one: whatever the text,
// the answer is a review or an HTTP error, and a Pod is admitted only when the
// API machinery's own decoder reads the class's selector on it too.
func FuzzValidatePod(f *testing.F) {
	for _, seed := range []string{good(), bad(), "", "{}", "null", `{"request":{"uid":"u1"}}`,
		strings.Replace(good(), "zone", "ZONE", 1), strings.Replace(good(), "nodeSelector", "NodeSelector", 1),
		strings.Replace(good(), `"nodeSelector"`, `"nodeSelector":{},"nodeSelector"`, 1),
		strings.Replace(good(), "dc1", `dc\u0031`, 1)} {
		f.Add(seed)
	}
	h := webhook.ValidatePod(serve(release).config, policy.Deny)
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code == http.StatusInternalServerError {
			t.Fatalf("a panic: %s", w.Body)
		}
		var out admissionv1.AdmissionReview
		if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &out) != nil || !out.Response.Allowed {
			return
		}
		var in admissionv1.AdmissionReview
		var pod corev1.Pod
		if json.Unmarshal([]byte(body), &in) != nil || json.Unmarshal(in.Request.Object.Raw, &pod) != nil {
			return
		}
		if len(pod.OwnerReferences) > 0 && pod.Spec.NodeSelector["zone"] != "dc1" && out.Response.AuditAnnotations["verdict"] == "Allowed" {
			t.Fatalf("admitted outside its class: %s", body)
		}
	})
}

// FuzzMutatePod holds the patch to its promise: it fits whatever affinity the Pod has,
// leaves what is there where it is, adds all that the value asks, and nothing when it
// is asked again.
func FuzzMutatePod(f *testing.F) {
	const term = `{"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[{"key":"tag.affinity.cozystack.io/a","operator":"Exists"}]}}`
	for _, affinity := range []string{"", "{}", "null", `{"nodeAffinity":{}}`, `{"podAffinity":{},"podAntiAffinity":null}`,
		`{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[` + term + `]}}`,
		`{"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":` + term + `}]}}`} {
		for _, value := range []string{`{"require_with_tag":["a","b"],"prefer_without_tag":["a"]}`, `{"require_without_tag":["a"],"prefer_with_tag":["c"]}`, `{"a":1,"b":-1}`, "{}", "x", ""} {
			f.Add(value, affinity)
		}
	}
	s := serve(release)
	f.Fuzz(func(t *testing.T, value, affinity string) {
		pod := asking(t, value)
		if affinity != "" && json.Unmarshal([]byte(affinity), &pod.Spec.Affinity) != nil {
			return
		}
		before := pod.Spec.Affinity.DeepCopy()
		after := mutated(t, s, pod)
		wantAppended(t, before, after.Spec.Affinity)
		parsed, errs := binaryaffinity.Of(after.Annotations, nil)
		if lost := binaryaffinity.Translate(parsed.Value, after.Spec.Affinity); len(errs) == 0 && !lost.Empty() {
			t.Errorf("not added: %+v", lost)
		}
		if again := mutated(t, s, after); !cmp.Equal(after, again) {
			t.Errorf("asked again: %s", cmp.Diff(after, again))
		}
	})
}

// wantAppended wants each list to begin with what was there.
func wantAppended(t *testing.T, before, after *corev1.Affinity) {
	t.Helper()
	if before == nil {
		return
	}
	if after == nil || !cmp.Equal(before.NodeAffinity, after.NodeAffinity) {
		t.Fatalf("the affinity was %+v and is %+v", before, after)
	}
	if with := before.PodAffinity; with != nil {
		begins(t, with.RequiredDuringSchedulingIgnoredDuringExecution, after.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		begins(t, with.PreferredDuringSchedulingIgnoredDuringExecution, after.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if without := before.PodAntiAffinity; without != nil {
		begins(t, without.RequiredDuringSchedulingIgnoredDuringExecution, after.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
		begins(t, without.PreferredDuringSchedulingIgnoredDuringExecution, after.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func begins[T any](t *testing.T, before, after []T) {
	t.Helper()
	if len(after) < len(before) || !cmp.Equal(before, after[:len(before)], cmpopts.EquateEmpty()) {
		t.Errorf("the list was %+v and is %+v", before, after)
	}
}
