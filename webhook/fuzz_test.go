package webhook_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"

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
