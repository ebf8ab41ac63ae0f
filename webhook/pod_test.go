package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// getter answers every hop with one function.
type getter func(lineage.Ref) (*lineage.Object, error)

func (g getter) Get(_ context.Context, ref lineage.Ref) (*lineage.Object, error) { return g(ref) }

type recorder struct {
	sync.Mutex
	refused  []string
	weighted []*review.Weighted
}

func (r *recorder) Record(v *review.Verdict) {
	r.Lock()
	defer r.Unlock()
	r.refused = append(r.refused, v.Message)
}

func (r *recorder) RecordWeights(v *review.Verdict) {
	r.Lock()
	defer r.Unlock()
	r.weighted = append(r.weighted, v.Facts.Weighted)
}

type server struct {
	recorder *recorder
	registry *prometheus.Registry
	config   webhook.Config
}

func serve(get getter) *server {
	class := &v1alpha1.AffinityClass{}
	class.Name = "dc1"
	class.Spec.NodeSelector = map[string]string{"zone": "dc1"}
	s := &server{recorder: &recorder{}, registry: prometheus.NewRegistry()}
	s.config = webhook.Config{
		Reviewer: review.New(review.Files(get), review.Fixed{Policy: policy.New(class)}, review.Options{}),
		Labels:   append(review.ApplicationLabels(), review.ClassLabels()...),
		Recorder: s.recorder, Metrics: webhook.NewMetrics(s.registry),
		Limits: webhook.DefaultLimits(), Log: logr.Discard(),
	}
	return s
}

// release answers every reference with a release that names dc1.
func release(ref lineage.Ref) (*lineage.Object, error) {
	return &lineage.Object{GroupKind: lineage.HelmRelease, Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID,
		Release: &lineage.Release{},
		Labels: map[string]string{policy.ClassLabel: "dc1", lineage.LabelApplicationGroup: "apps.cozystack.io",
			lineage.LabelApplicationKind: "Postgres", lineage.LabelApplicationName: ref.Name}}, nil
}

const podReview = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1",
"kind":{"group":"","version":"v1","kind":"Pod"},"resource":{"group":"","version":"v1","resource":"pods"},
"namespace":"shop","operation":"CREATE","userInfo":{"username":"jane","groups":["system:authenticated"]},%s
"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db-1","ownerReferences":[
{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","name":"db","uid":"r1","controller":true}]},
"spec":{"containers":[{"name":"c","image":"i"}]%s}}}}`

func good() string { return fmt.Sprintf(podReview, "", `,"nodeSelector":{"zone":"dc1"}`) }
func bad() string  { return fmt.Sprintf(podReview, "", "") }

func post(t *testing.T, h http.Handler, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/validate-pod?timeout=5s", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func answer(t *testing.T, w *httptest.ResponseRecorder) *admissionv1.AdmissionResponse {
	t.Helper()
	var out admissionv1.AdmissionReview
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || out.Response == nil {
		t.Fatalf("HTTP %d, no review in %s: %v", w.Code, w.Body, err)
	}
	if out.APIVersion != "admission.k8s.io/v1" || out.Kind != "AdmissionReview" || out.Response.UID != "u1" {
		t.Fatalf("not an answer to this review: %s", w.Body)
	}
	return out.Response
}

func TestValidatePodAllows(t *testing.T) {
	s := serve(release)
	got := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), good()))
	want := &admissionv1.AdmissionResponse{UID: "u1", Allowed: true, AuditAnnotations: map[string]string{
		"verdict": "Allowed", "reason": "ContractKept", "class": "dc1", "release": "shop/db"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(s.recorder.refused) != 0 {
		t.Errorf("an allowed Pod made an Event: %v", s.recorder.refused)
	}
}

func TestValidatePodDenies(t *testing.T) {
	s := serve(release)
	got := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), bad()))
	const message = `Pod shop/db-1 (Postgres db): AffinityClass "dc1" requires nodeSelector zone=dc1 (found none); set it in spec.nodeSelector`
	want := &admissionv1.AdmissionResponse{UID: "u1",
		Result: &metav1.Status{Status: "Failure", Code: 403, Reason: "Forbidden", Message: message,
			Details: &metav1.StatusDetails{Kind: "Pod", Name: "db-1", Causes: []metav1.StatusCause{
				{Type: "AffinityClassViolation", Field: "spec.nodeSelector[zone]", Message: `AffinityClass "dc1": nodeSelector zone=dc1 is required, found none`},
				{Type: "AffinityClass", Message: "dc1"},
				{Type: "HelmRelease", Message: "shop/db"},
				{Type: "Lineage", Message: "Pod shop/db-1 < HelmRelease shop/db"}}}},
		AuditAnnotations: map[string]string{"verdict": "Denied", "reason": "ContractBroken", "class": "dc1", "release": "shop/db"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{message}, s.recorder.refused); diff != "" {
		t.Errorf("Events: %s", diff)
	}
	if n := testutil.CollectAndCount(s.registry, "affinity_review_total"); n != 1 {
		t.Errorf("got %d series of affinity_review_total", n)
	}
}

func TestADryRunLeavesNoEvent(t *testing.T) {
	s := serve(release)
	got := answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), fmt.Sprintf(podReview, `"dryRun":true,`, "")))
	if got.Allowed || len(s.recorder.refused) != 0 {
		t.Errorf("allowed=%v, events %v", got.Allowed, s.recorder.refused)
	}
}

func TestNoAnswerTellsAClientWhenToRetry(t *testing.T) {
	s := serve(func(lineage.Ref) (*lineage.Object, error) { return nil, errors.New("timeout") })
	w := post(t, webhook.ValidatePod(s.config, policy.Deny), good())
	if got := answer(t, w); got.Result.Code != 503 || strings.Contains(w.Body.String(), "retryAfterSeconds") {
		t.Errorf("got %s: a client obeys it inside its workers, and stalls every namespace", w.Body)
	}
}

func TestMutatePodSetsLabels(t *testing.T) {
	s := serve(release)
	got := answer(t, post(t, webhook.MutatePod(s.config), good()))
	const want = `[{"op":"add","path":"/metadata/labels","value":{"apps.cozystack.io/affinity-class":"dc1","apps.cozystack.io/application.group":"apps.cozystack.io","apps.cozystack.io/application.kind":"Postgres","apps.cozystack.io/application.name":"db"}}]`
	if !got.Allowed || string(got.Patch) != want || *got.PatchType != admissionv1.PatchTypeJSONPatch {
		t.Errorf("got %s", got.Patch)
	}
}

func TestMutatePodNeverDenies(t *testing.T) {
	s := serve(func(lineage.Ref) (*lineage.Object, error) { return nil, errors.New("timeout") })
	if got := answer(t, post(t, webhook.MutatePod(s.config), bad())); !got.Allowed || got.Patch != nil {
		t.Errorf("got allowed=%v patch %s", got.Allowed, got.Patch)
	}
}

func TestWhatIsNotAReviewOfAPodIsRefusedWithAReason(t *testing.T) {
	tests := []struct {
		name, body string
		http       int
		code       int32 // of the review; 0 when the answer cannot be one
	}{
		{"no JSON", "hello", 400, 0},
		{"nothing", "", 400, 0},
		{"another version", strings.Replace(good(), "admission.k8s.io/v1", "admission.k8s.io/v1beta1", 1), 400, 0},
		{"no uid", strings.Replace(good(), `"uid":"u1",`, "", 1), 400, 0},
		{"another resource", strings.Replace(good(), `"resource":"pods"`, `"resource":"nodes"`, 1), 200, 400},
		{"another operation", strings.Replace(good(), "CREATE", "UPDATE", 1), 200, 400},
		{"a subresource", strings.Replace(good(), `"operation"`, `"subResource":"ephemeralcontainers","operation"`, 1), 200, 400},
		{"no object", strings.Replace(good(), `"object":{`, `"object":null,"x":{`, 1), 200, 400},
		{"a selector that is no map", strings.Replace(good(), `{"zone":"dc1"}`, `["zone"]`, 1), 200, 400},
		{"a name that stands twice", strings.Replace(good(), `"nodeSelector"`, `"nodeSelector":{},"nodeSelector"`, 1), 400, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(release)
			w := post(t, webhook.ValidatePod(s.config, policy.Deny), tt.body)
			if w.Code != tt.http {
				t.Fatalf("HTTP %d: %s", w.Code, w.Body)
			}
			if tt.code == 0 {
				return
			}
			if got := answer(t, w); got.Allowed || got.Result.Code != tt.code || got.Result.Message == "" {
				t.Errorf("got %s", w.Body)
			}
		})
	}
}

func TestBounds(t *testing.T) {
	s := serve(release)
	s.config.Limits.Body = 1 << 10
	h := webhook.ValidatePod(s.config, policy.Deny)
	big := fmt.Sprintf(podReview, "", `,"hostname":"`+strings.Repeat("x", 1<<10)+`"`)
	if w := post(t, h, big); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of a known length: HTTP %d", w.Code)
	}
	r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader(big)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body of unknown length: HTTP %d", w.Code)
	}
	r = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(good()))
	r.Header.Set("Content-Type", "text/plain")
	w = httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: HTTP %d", w.Code)
	}
}

func TestAReviewThatFindsNoPlaceGivesUpAtItsDeadline(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s := serve(func(ref lineage.Ref) (*lineage.Object, error) {
		entered <- struct{}{}
		<-leave
		return release(ref)
	})
	s.config.Limits = webhook.Limits{Body: 1 << 20, InFlight: 1 << 20, Concurrent: 1, Deadline: 50 * time.Millisecond}
	h := webhook.ValidatePod(s.config, policy.Deny)
	done := make(chan struct{})
	go func() { defer close(done); post(t, h, good()) }()
	<-entered
	got := answer(t, post(t, h, good()))
	if got.Allowed || got.Result.Code != 503 {
		t.Errorf("got %+v", got)
	}
	close(leave)
	<-done
}

func TestBytesInFlightAreBoundedOverAllPaths(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s := serve(func(ref lineage.Ref) (*lineage.Object, error) {
		entered <- struct{}{}
		<-leave
		return release(ref)
	})
	s.config.Limits.InFlight, s.config.Limits.Deadline = int64(len(good())), 50*time.Millisecond
	s.config.Load = webhook.NewLoad(s.config.Limits)
	first, second := webhook.ValidatePod(s.config, policy.Deny), webhook.MutatePod(s.config)
	done := make(chan struct{})
	go func() { defer close(done); post(t, first, good()) }()
	<-entered
	if w := post(t, second, good()); w.Code != http.StatusServiceUnavailable {
		t.Errorf("HTTP %d: a second review was read beyond the bound", w.Code)
	}
	close(leave)
	<-done
}

func TestAPanicAdmitsNothingAndTheServerLivesOn(t *testing.T) {
	first := true
	s := serve(func(ref lineage.Ref) (*lineage.Object, error) {
		if first {
			first = false
			panic("boom")
		}
		return release(ref)
	})
	h := webhook.ValidatePod(s.config, policy.Deny)
	if w := post(t, h, good()); w.Code != http.StatusInternalServerError {
		t.Errorf("HTTP %d: %s", w.Code, w.Body)
	}
	if got := answer(t, post(t, h, good())); !got.Allowed {
		t.Errorf("the next review: %+v", got)
	}
	const want = "# HELP affinity_review_failed_total Requests that were not judged: malformed, too large, overloaded or panicked; and previews that panicked.\n# TYPE affinity_review_failed_total counter\naffinity_review_failed_total{why=\"panic\"} 1\naffinity_review_failed_total{why=\"preview\"} 0\n"
	if err := testutil.GatherAndCompare(s.registry, strings.NewReader(want), "affinity_review_failed_total"); err != nil {
		t.Error(err)
	}
}

func TestNoSeriesComesFromWhatATenantWrote(t *testing.T) {
	for i := range 20 {
		s := serve(func(ref lineage.Ref) (*lineage.Object, error) {
			o, err := release(ref)
			o.Labels[policy.ClassLabel] = fmt.Sprintf("made-up-%d", i)
			return o, err
		})
		answer(t, post(t, webhook.ValidatePod(s.config, policy.Deny), good()))
		families, err := s.registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(families); strings.Contains(text, "made-up") {
			t.Fatalf("a class that does not exist became a metric: %s", text)
		}
	}
}
