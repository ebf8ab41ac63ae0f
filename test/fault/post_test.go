package fault_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const validate, mutate = "/validate-pod", "/mutate-pod"

// caller speaks to servers as the API server does, over HTTP/2.
var caller = sync.OnceValue(func() *http.Client {
	return &http.Client{Timeout: 20 * time.Second, Transport: transport()}
})

func transport() *http.Transport {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cp.CA().CertPEM())
	return &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true,
	}
}

// question is what the API server would ask about a new Pod.
func question(pod *corev1.Pod) *admissionv1.AdmissionReview {
	object, err := json.Marshal(pod)
	if err != nil {
		panic(err) // a Pod of ours: cannot happen
	}
	return &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "fault", Operation: admissionv1.Create, Namespace: pod.Namespace, Name: pod.Name,
			Kind:     metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource: metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			UserInfo: authenticationv1.UserInfo{Username: "tenant", Groups: []string{"system:authenticated"}},
			Object:   runtime.RawExtension{Raw: object},
		},
	}
}

func reviewOf(pod *corev1.Pod) []byte {
	body, err := json.Marshal(question(pod))
	if err != nil {
		panic(err) // as above
	}
	return body
}

// reply is what came back: HTTP's status and body, and the response in it, if any.
type reply struct {
	status int
	body   string
	*admissionv1.AdmissionResponse
}

func (r reply) outcome() outcome {
	switch {
	case r.AdmissionResponse == nil:
		return silent
	case r.Allowed:
		return admitted
	}
	return refused(r.Result.Code)
}

// send posts a body to a path of a server.
func send(ctx context.Context, url, media string, body []byte) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Content-Type", media)
	response, err := caller().Do(request)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	got := reply{status: response.StatusCode, body: string(text)}
	if err != nil || response.StatusCode != http.StatusOK {
		return got, err
	}
	var review admissionv1.AdmissionReview
	err = json.Unmarshal(text, &review)
	got.AdmissionResponse = review.Response
	return got, err
}

// judged is the server's answer about a Pod; a server that cannot be asked ends
// the test.
func judged(t *testing.T, url string, pod *corev1.Pod) reply {
	t.Helper()
	got, err := send(t.Context(), url+validate, "application/json", reviewOf(pod))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// asking has Pods of an application judged by a server itself.
func asking(url string, a app) maker {
	bodies := map[quality][]byte{good: reviewOf(a.pod(good)), bad: reviewOf(a.pod(bad))}
	return func(ctx context.Context, q quality) (outcome, string) {
		got, err := send(ctx, url+validate, "application/json", bodies[q])
		if err != nil {
			return silent, err.Error()
		}
		return got.outcome(), got.body
	}
}
