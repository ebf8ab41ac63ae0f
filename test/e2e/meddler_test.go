package e2e_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// meddler is a mutating webhook that comes after ours and changes the Pods of a
// namespace, once a Pod, or each time that ours has changed one again.
type meddler struct {
	namespace string
	policy    registrationv1.ReinvocationPolicyType
	patch     func(*corev1.Pod) []map[string]any
}

// startMeddler puts one there that overwrites the derived labels. What it gives back
// fails until the API server has asked it.
func startMeddler(t *testing.T, namespace string) func() error {
	t.Helper()
	return meddler{namespace, registrationv1.NeverReinvocationPolicy, overwriteLabels}.start(t)
}

func (m meddler) start(t *testing.T) func() error {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		m.meddle(t, w, r)
	}))
	pair, err := cp.CA().IssueServing("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	m.register(t, server.URL)
	return func() error {
		if asked.Load() == 0 {
			return errors.New("the meddling webhook was not asked yet")
		}
		return nil
	}
}

func (m meddler) register(t *testing.T, url string) {
	t.Helper()
	hook := &registrationv1.MutatingWebhookConfiguration{
		// The API server calls configurations in the order of their names.
		ObjectMeta: metav1.ObjectMeta{Name: "zz-meddler"},
		Webhooks: []registrationv1.MutatingWebhook{{
			Name:                    "meddle.example.org",
			ClientConfig:            registrationv1.WebhookClientConfig{URL: &url, CABundle: cp.CA().CertPEM()},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: m.namespace}},
			ReinvocationPolicy:      &m.policy,
			SideEffects:             new(registrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
			Rules: []registrationv1.RuleWithOperations{{
				Operations: []registrationv1.OperationType{registrationv1.Create},
				Rule:       registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
			}},
		}},
	}
	create(t, hook)
	t.Cleanup(func() { remove(t, hook) })
}

func overwriteLabels(*corev1.Pod) (patch []map[string]any) {
	for key, value := range forged() {
		path := "/metadata/labels/" + strings.ReplaceAll(key, "/", "~1")
		patch = append(patch, map[string]any{"op": "add", "path": path, "value": value})
	}
	return patch
}

func (m meddler) meddle(t *testing.T, w http.ResponseWriter, r *http.Request) {
	var in admissionv1.AdmissionReview
	var pod corev1.Pod
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		t.Errorf("the meddling webhook could not read: %v", err)
		return
	}
	if err := json.Unmarshal(in.Request.Object.Raw, &pod); err != nil {
		t.Errorf("the meddling webhook could not read the Pod: %v", err)
	}
	text, err := json.Marshal(m.patch(&pod))
	if err != nil {
		t.Error(err)
	}
	in.Response = &admissionv1.AdmissionResponse{
		UID: in.Request.UID, Allowed: true, Patch: text, PatchType: new(admissionv1.PatchTypeJSONPatch),
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(in); err != nil {
		t.Error(err)
	}
}
