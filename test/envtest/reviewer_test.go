package envtest

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	registration "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// seen are the paths of the reviews that arrived.
type seen struct {
	mu    sync.Mutex
	paths []string
}

// take returns and forgets what arrived; nil if nothing did.
func (s *seen) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	paths := s.paths
	s.paths = nil
	return paths
}

// ServeHTTP allows everything.
func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.paths = append(s.paths, r.URL.Path)
	s.mu.Unlock()
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	if err := json.NewEncoder(w).Encode(review); err != nil {
		panic(err)
	}
}

// reviewed installs the chart's webhook configurations, pointed at a server of
// the test, and lets everybody create Pods.
func reviewed(t *testing.T, c client.Client) *seen {
	t.Helper()
	s := &seen{}
	web := httptest.NewTLSServer(s)
	t.Cleanup(web.Close)
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})
	keep(t, c, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "scope-pods"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}}},
	})
	keep(t, c, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "scope-pods"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "scope-pods"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "system:authenticated"}},
	})
	stream := template(t, "--namespace", releaseNamespace, "--set", "platformNamespaces.labelKey="+platform,
		"--show-only", "templates/webhook/mutating.yaml", "--show-only", "templates/webhook/validating.yaml")
	all, err := objects(stream)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		var mutating registration.MutatingWebhookConfiguration
		var validating registration.ValidatingWebhookConfiguration
		switch o.GetKind() {
		case "MutatingWebhookConfiguration":
			convert(t, o.Object, &mutating)
			for i := range mutating.Webhooks {
				point(&mutating.Webhooks[i].ClientConfig, web.URL, bundle)
			}
			keep(t, c, &mutating)
		case "ValidatingWebhookConfiguration":
			convert(t, o.Object, &validating)
			for i := range validating.Webhooks {
				point(&validating.Webhooks[i].ClientConfig, web.URL, bundle)
			}
			keep(t, c, &validating)
		}
	}
	heeded(t, c, s)
	return s
}

func convert(t *testing.T, from map[string]any, to any) {
	t.Helper()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(from, to, true); err != nil {
		t.Fatal(err)
	}
}

func point(config *registration.WebhookClientConfig, host string, bundle []byte) {
	url := host + *config.Service.Path
	*config = registration.WebhookClientConfig{URL: &url, CABundle: bundle}
}

// heeded waits until the API server calls both webhooks.
func heeded(t *testing.T, c client.Client, s *seen) {
	t.Helper()
	labelled(t, c, "scope-probe", map[string]string{enforce: "deny"})
	deadline := time.Now().Add(30 * time.Second)
	for !slices.Equal(s.take(), []string{mutate, validate}) {
		if time.Now().After(deadline) {
			t.Fatal("the webhooks are not called after 30 s")
		}
		time.Sleep(100 * time.Millisecond)
		if err := c.Create(t.Context(), podIn("scope-probe", false), client.DryRunAll); err != nil {
			t.Fatal(err)
		}
	}
}
