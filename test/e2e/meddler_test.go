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

// startMeddler puts a mutating webhook after ours that overwrites the derived
// labels of the Pods of a namespace, once a Pod. What it gives back fails until
// the API server has asked it.
func startMeddler(t *testing.T, namespace string) func() error {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		meddle(t, w, r)
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
	registerMeddler(t, server.URL, namespace)
	return func() error {
		if asked.Load() == 0 {
			return errors.New("the meddling webhook was not asked yet")
		}
		return nil
	}
}

func registerMeddler(t *testing.T, url, namespace string) {
	t.Helper()
	hook := &registrationv1.MutatingWebhookConfiguration{
		// The API server calls configurations in the order of their names.
		ObjectMeta: metav1.ObjectMeta{Name: "zz-meddler"},
		Webhooks: []registrationv1.MutatingWebhook{{
			Name:                    "meddle.example.org",
			ClientConfig:            registrationv1.WebhookClientConfig{URL: &url, CABundle: cp.CA().CertPEM()},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
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

func meddle(t *testing.T, w http.ResponseWriter, r *http.Request) {
	var in admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		t.Errorf("the meddling webhook could not read: %v", err)
	}
	var patch []map[string]string
	for key, value := range forged() {
		path := "/metadata/labels/" + strings.ReplaceAll(key, "/", "~1")
		patch = append(patch, map[string]string{"op": "add", "path": path, "value": value})
	}
	text, err := json.Marshal(patch)
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
