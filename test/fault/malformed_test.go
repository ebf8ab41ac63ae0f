package fault_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Whatever is sent, nothing is admitted by it, and the server lives on.
func TestRequestsThatAreNoReviewOfAPod(t *testing.T) {
	s := first()
	s.survives(t)
	space := governed(t, "malformed")
	a := newApp(t, space, "app")
	honest := begin(t, asking(s.URL, a))
	honest.works(t)
	kind := func(group, kind, resource string) func(*admissionv1.AdmissionReview) {
		return func(r *admissionv1.AdmissionReview) {
			r.Request.Kind = metav1.GroupVersionKind{Group: group, Version: "v1", Kind: kind}
			r.Request.Resource = metav1.GroupVersionResource{Group: group, Version: "v1", Resource: resource}
		}
	}
	const json = "application/json"
	before := s.scrape(t)
	cases := []struct {
		name   string
		media  string
		body   []byte
		status int   // of HTTP
		code   int32 // in the review; 0 where the answer is none
	}{
		{"no JSON", json, []byte("hello"), 400, 0},
		{"nothing", json, nil, 400, 0},
		{"an array", json, []byte("[]"), 400, 0},
		{"an empty object", json, []byte("{}"), 400, 0},
		{"cut off", json, reviewOf(a.pod(good))[:200], 400, 0},
		{"a review without a request", json, []byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`), 400, 0},
		{"a review without a uid", json, altered(a, func(r *admissionv1.AdmissionReview) { r.Request.UID = "" }), 400, 0},
		{"v1beta1", json, altered(a, func(r *admissionv1.AdmissionReview) { r.APIVersion = "admission.k8s.io/v1beta1" }), 400, 0},
		{"nested without end", json, []byte(strings.Repeat(`{"request":`, 100_000)), 400, 0},
		{"an unknown kind", json, altered(a, kind("example.org", "Ghost", "ghosts")), 200, 400},
		{"a known kind that is not judged here", json, altered(a, kind("apps", "Deployment", "deployments")), 200, 400},
		{"a subresource", json, altered(a, func(r *admissionv1.AdmissionReview) { r.Request.SubResource = "status" }), 200, 400},
		{"an update", json, altered(a, func(r *admissionv1.AdmissionReview) { r.Request.Operation = admissionv1.Update }), 200, 400},
		{"no object", json, altered(a, func(r *admissionv1.AdmissionReview) { r.Request.Object.Raw = []byte("null") }), 200, 400},
		{"an object of another shape", json, altered(a, func(r *admissionv1.AdmissionReview) {
			r.Request.Object.Raw = []byte(`{"metadata":{"labels":[]},"spec":7}`)
		}), 200, 400},
		{"a name that stands twice", json, []byte(strings.Replace(string(reviewOf(a.pod(good))), `"spec":{`, `"spec":{"nodeSelector":{},`, 1)), 400, 0},
		{"YAML", "application/yaml", reviewOf(a.pod(good)), 415, 0},
		{"protobuf", "application/vnd.kubernetes.protobuf", reviewOf(a.pod(good)), 415, 0},
		{"no content type", "", reviewOf(a.pod(good)), 415, 0},
		{"a content type that is none", "application/;json", reviewOf(a.pod(good)), 415, 0},
	}
	for _, path := range []string{validate, mutate} {
		for _, test := range cases {
			got, err := send(t.Context(), s.URL+path, test.media, test.body)
			if err != nil {
				t.Errorf("%s to %s: %v", test.name, path, err)
				continue
			}
			answered := int32(0)
			if got.AdmissionResponse != nil && !got.Allowed {
				answered = got.Result.Code
			}
			if got.status != test.status || answered != test.code || got.AdmissionResponse != nil && got.Allowed {
				t.Errorf("%s to %s: answered %d %s, wanted %d and code %d", test.name, path, got.status, got.body, test.status, test.code)
			}
		}
	}
	failures := grew(before, s.scrape(t), `affinity_review_failed_total{why="malformed"}`)
	if want := float64(2 * len(cases)); failures != want {
		t.Errorf("%v malformed requests were counted, wanted %v", failures, want)
	}
	honest.works(t)
	honest.stop()
	honest.holds(t)
}

// altered is the review of a good Pod of the application, spoilt in one place.
func altered(a app, by func(*admissionv1.AdmissionReview)) []byte {
	review := question(a.pod(good))
	by(review)
	body, err := json.Marshal(review)
	if err != nil {
		panic(err) // a review of ours: cannot happen
	}
	return body
}

const mebi = 1 << 20

// The reviews are whole and their Pods judged: what makes them large is a value
// of a container's environment.
func TestBodiesUpToTheBoundAreJudgedAndLargerOnesRefused(t *testing.T) {
	s := first()
	s.survives(t)
	a := newApp(t, governed(t, "large"), "app")
	before := s.scrape(t)
	for _, test := range []struct {
		name   string
		size   int
		q      quality
		status int
		want   outcome
	}{
		{"7 MiB, good", 7 * mebi, good, 200, admitted},
		{"7 MiB, bad", 7 * mebi, bad, 200, refused(http.StatusForbidden)},
		{"a byte more", 7*mebi + 1, good, 413, silent},
		{"8 MiB", 8 * mebi, good, 413, silent},
		{"100 MiB", 100 * mebi, bad, 413, silent},
	} {
		got, err := send(t.Context(), s.URL+validate, "application/json", sized(t, a.pod(test.q), test.size))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got.status != test.status || got.outcome() != test.want {
			t.Errorf("%s: answered %d, %s: %.300s", test.name, got.status, got.outcome(), got.body)
		}
	}
	if n := grew(before, s.scrape(t), `affinity_review_failed_total{why="too-large"}`); n != 3 {
		t.Errorf("%v requests were counted as too large, wanted 3", n)
	}
	// What the API server lets pass at most, through it.
	for q, want := range map[quality]outcome{good: admitted, bad: refused(http.StatusForbidden)} {
		pod := a.pod(q)
		pad(pod, mebi)
		if got, said := create(t.Context(), pod); got != want {
			t.Errorf("a %s Pod of 1 MiB was %s: %.300s", q, got, said)
		}
	}
	t.Logf("the server holds %.0f MiB", s.memory(t))
}

// sized is the review of a Pod, made as large as that.
func sized(t *testing.T, pod *corev1.Pod, size int) []byte {
	t.Helper()
	pad(pod, 1)
	pad(pod, 1+size-len(reviewOf(pod)))
	body := reviewOf(pod)
	if len(body) != size {
		t.Fatalf("made a review of %d bytes, wanted %d", len(body), size)
	}
	return body
}

func pad(pod *corev1.Pod, bytes int) {
	pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "LARGE", Value: strings.Repeat("x", bytes)}}
}
