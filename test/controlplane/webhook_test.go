package controlplane_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/test/controlplane"
)

func TestTheAPIServerCallsAWebhookOnLoopback(t *testing.T) {
	cp := controlplane.ForTest(t, controlplane.Options{Components: controlplane.APIOnly()})
	admin, err := cp.Client()
	if err != nil {
		t.Fatal(err)
	}
	create(t, admin, registration(serveRefusals(t, cp), cp.CA().CertPEM()))
	eventually(t, func() error {
		err := admin.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", GenerateName: "any-"}})
		if err == nil {
			return errors.New("it was let in") // until the API server has seen the registration
		}
		if !strings.Contains(err.Error(), "not today") {
			return fmt.Errorf("not refused in the webhook's words: %w", err)
		}
		return nil
	})
}

// serveRefusals returns the address of a webhook that refuses everything.
func serveRefusals(t *testing.T, cp *controlplane.ControlPlane) string {
	t.Helper()
	pair, err := cp.CA().IssueServing("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(refuse))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

func refuse(writer http.ResponseWriter, request *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(request.Body).Decode(&review); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &metav1.Status{Message: "not today"}}
	_ = json.NewEncoder(writer).Encode(review) // the test sees a missing answer
}

func registration(url string, bundle []byte) *registrationv1.ValidatingWebhookConfiguration {
	effects := registrationv1.SideEffectClassNone
	return &registrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "refusal"},
		Webhooks: []registrationv1.ValidatingWebhook{{
			Name:                    "refusal.example.com",
			ClientConfig:            registrationv1.WebhookClientConfig{URL: &url, CABundle: bundle},
			AdmissionReviewVersions: []string{"v1"},
			SideEffects:             &effects,
			Rules: []registrationv1.RuleWithOperations{{
				Operations: []registrationv1.OperationType{registrationv1.Create},
				Rule:       registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
		}},
	}
}
