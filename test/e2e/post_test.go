package e2e_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// caller speaks to the server as the API server does: one connection of HTTP/2.
var caller = sync.OnceValue(func() *http.Client {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cp.CA().CertPEM())
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}}
})

// reviewOf is the question that the API server would ask about a new Pod.
func reviewOf(t *testing.T, pod *corev1.Pod) []byte {
	t.Helper()
	object, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "e2e", Operation: admissionv1.Create, Namespace: pod.Namespace, Name: pod.Name,
			Kind:     metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			UserInfo: authenticationv1.UserInfo{Username: "tenant", Groups: []string{"system:authenticated"}},
			Object:   runtime.RawExtension{Raw: object},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// post asks the server itself.
func post(t *testing.T, url string, body []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	answer, err := ask(url, body)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// ask is for goroutines, which must not end a test. An answer that says when to
// come back is an error: clients obey that inside the workers of controllers.
func ask(url string, body []byte) (*admissionv1.AdmissionResponse, error) {
	answer, err := caller().Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return nil, err
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %s: %s", answer.Status, text)
	case answer.Header.Get("Retry-After") != "" || bytes.Contains(text, []byte("retryAfterSeconds")):
		return nil, fmt.Errorf("the server says when to come back: %s", text)
	}
	var out admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("read the server's answer %s: %w", text, err)
	}
	if out.Response == nil {
		return nil, fmt.Errorf("the server answers without a response: %s", text)
	}
	return out.Response, nil
}
