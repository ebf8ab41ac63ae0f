package e2e_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const pause = 10 * time.Millisecond // between two reviews of one kind: others work here too

// load is reviews without end, each with its answer checked.
//
// Two kinds: through the API server, which keeps its connections, and on a new
// connection each time, made as the API server makes its own: it trusts the
// caBundle that the configuration has at that moment, and asks for the name of the
// Service. Without the second kind a certificate that does not fit its CA would
// stay unseen for as long as an old connection lives.
type load struct {
	world   *world
	address string

	mu       sync.Mutex
	passed   map[string]int // by kind of review
	failures []string
	leaves   map[string]int // connections by the serial number of the leaf
}

func (l *load) run(ctx context.Context) (stop func()) {
	l.passed, l.leaves = map[string]int{}, map[string]int{}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	for kind, review := range map[string]func(context.Context) error{
		"good Pods": l.good, "bad Pods": l.bad, "new connections": l.connect,
	} {
		group.Go(func() {
			for ctx.Err() == nil {
				err := review(ctx)
				if ctx.Err() == nil { // what the end has cut short is no failure
					l.count(kind, err)
				}
				time.Sleep(pause)
			}
		})
	}
	return func() { cancel(); group.Wait() }
}

func (l *load) count(kind string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.passed[kind]++
		return
	}
	l.failures = append(l.failures, fmt.Sprintf("%s: %v", kind, err))
}

// served is how many new connections were given this leaf.
func (l *load) served(serial string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.leaves[serial]
}

func (l *load) reviews() (byKind map[string]int, failures []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	byKind = map[string]int{}
	for kind, passed := range l.passed {
		byKind[kind] = passed
	}
	return byKind, append([]string(nil), l.failures...)
}

func (l *load) good(ctx context.Context) error {
	return l.world.Client.Create(ctx, goodPod(), client.DryRunAll)
}

func (l *load) bad(ctx context.Context) error {
	return refused(l.world.Client.Create(ctx, badPod(), client.DryRunAll))
}

// connect asks for a review on a new connection.
func (l *load) connect(ctx context.Context) error {
	var configured admissionregistrationv1.ValidatingWebhookConfiguration
	if err := l.world.Client.Get(ctx, client.ObjectKey{Name: name}, &configured); err != nil {
		return err
	}
	asked := configured.Webhooks[0].ClientConfig
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(asked.CABundle) {
		return errors.New("the caBundle holds no certificate")
	}
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		RootCAs: roots, ServerName: asked.Service.Name + "." + asked.Service.Namespace + ".svc", MinVersion: tls.VersionTLS12,
	}}
	url := "https://" + l.address + *asked.Service.Path
	serial, err := review(ctx, &http.Client{Transport: transport, Timeout: 10 * time.Second}, url)
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.leaves[serial]++
	}
	return err
}

// review has the good Pod judged, and gives the serial number of the certificate
// that was shown.
func review(ctx context.Context, by *http.Client, url string) (serial string, err error) {
	pod := goodPod()
	pod.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	raw, err := json.Marshal(pod)
	if err != nil {
		return "", err
	}
	dry := true
	asked := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "1", Kind: metav1.GroupVersionKind{Version: "v1", Kind: "Pod"},
			Resource:  metav1.GroupVersionResource{Version: "v1", Resource: "pods"},
			Namespace: pod.Namespace, Name: pod.Name, Operation: admissionv1.Create, DryRun: &dry,
			Object: runtime.RawExtension{Raw: raw},
		},
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := by.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var answered admissionv1.AdmissionReview
	if err := json.NewDecoder(response.Body).Decode(&answered); err != nil {
		return "", fmt.Errorf("read the answer, %s: %w", response.Status, err)
	}
	if answered.Response == nil || !answered.Response.Allowed {
		return "", fmt.Errorf("the good Pod was refused: %+v", answered.Response)
	}
	return response.TLS.PeerCertificates[0].SerialNumber.String(), nil
}

func (l *load) report(t *testing.T) {
	t.Helper()
	passed, failures := l.reviews()
	t.Logf("reviews: %v; %d leaves were shown; %d failures", passed, len(l.leaves), len(failures))
	for _, failure := range failures[:min(len(failures), 10)] {
		t.Error(failure)
	}
	for _, kind := range []string{"good Pods", "bad Pods", "new connections"} {
		if passed[kind] < 100 {
			t.Errorf("only %d reviews of %s: too few to tell", passed[kind], kind)
		}
	}
	if len(l.leaves) < 6 {
		t.Errorf("%d leaves were shown, wanted the first and five more", len(l.leaves))
	}
}
