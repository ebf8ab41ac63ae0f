package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/store"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/test/platform"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// calls counts each request that leaves this process for the API server, but the
// watches that are held open.
type calls struct {
	mu   sync.Mutex
	made map[string]int
}

// counted is a transport whose requests are counted.
type counted struct {
	*calls
	next http.RoundTripper
}

func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Query().Get("watch") != "true" {
		c.mu.Lock()
		c.made[r.URL.Path]++
		c.mu.Unlock()
	}
	return c.next.RoundTrip(r)
}

// taken are the calls since it was last asked.
func (c *calls) taken() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.made
	c.made = map[string]int{}
	return taken
}

func TestAWarmAllowedReviewMakesNoCall(t *testing.T) {
	space := governed(t, "warm")
	w := deploy(t, release{space, "web", "dc1"}).inZone("dc1")
	create(t, w.deployment(0))
	pod := podOf(space, "web", replicaSetOwner(replicaSetOf(t, w)))
	pod.Spec.NodeSelector = map[string]string{zone: "dc1"}
	body := reviewOf(t, pod)
	calls := &calls{made: map[string]int{}}
	handler := handlerOver(t, calls)
	calls.taken()

	allowedBy(t, handler, body)
	cold := calls.taken()
	t.Logf("cold: %v", cold)
	owners := within(cold, space)
	if len(owners) != 2 || total(owners) != 2 || cold["/apis"] != 1 || total(cold) != 4 {
		t.Errorf("cold: %v, wanted one read of each of two owners, and one discovery of two calls", cold)
	}
	const reviews = 1000
	for range reviews {
		allowedBy(t, handler, body)
	}
	warm := calls.taken()
	t.Logf("warm: %d reviews made %d calls", reviews, total(warm))
	if total(warm) != 0 {
		t.Errorf("warm: %v, wanted no call", warm)
	}
}

// handlerOver is what the server serves on /validate-pod, wired as it is there,
// with every client's requests counted.
func handlerOver(t *testing.T, calls *calls) http.Handler {
	t.Helper()
	config, err := cp.ConfigFor(platform.Account, "system:serviceaccounts", "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counted{calls, next} })
	known := follow(t, config)
	reader, err := cluster.New(cluster.Options{Config: config, Releases: known.releases})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(namespace string) review.Reads { return reader.Begin(namespace) }
	return webhook.ValidatePod(webhook.Config{
		Reviewer: review.New(begin, known.policies, review.Options{}), Labels: review.ApplicationLabels(),
		Recorder: silent{}, Metrics: webhook.NewMetrics(prometheus.NewRegistry()), Limits: webhook.DefaultLimits(), Log: logr.Discard(),
	}, policy.Deny)
}

// known is what the server knows by watches.
type known struct {
	policies *store.Store
	releases *cluster.ReleaseCache
}

// follow returns when all classes and releases that there are have been read.
func follow(t *testing.T, config *rest.Config) known {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, tenantv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	watches, err := cache.New(config, cache.Options{Scheme: scheme, ByObject: map[client.Object]cache.ByObject{
		cluster.ReleaseKind(): {Transform: cluster.TrimRelease},
	}})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	k := known{store.New(watches, reader, policy.Scope{}, store.FromTenants, logr.Discard()), cluster.WatchReleases(watches)}
	for _, start := range []func(context.Context) error{watches.Start, k.policies.Start, k.releases.Start} {
		go func() { _ = start(t.Context()) }()
	}
	eventually(t, func() error {
		if !k.policies.HasSynced() || !k.releases.HasSynced() {
			return errors.New("classes and releases are not read yet")
		}
		return nil
	})
	return k
}

// silent makes no Events.
type silent struct{}

func (silent) Record(*review.Verdict)        {}
func (silent) RecordWeights(*review.Verdict) {}

func allowedBy(t *testing.T, handler http.Handler, body []byte) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/validate-pod", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	var answer admissionv1.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil {
		t.Fatalf("read the answer %s: %v", recorder.Body, err)
	}
	if r := answer.Response; r == nil || !r.Allowed || r.AuditAnnotations["reason"] != "ContractKept" {
		t.Fatalf("answered %s, wanted the contract kept", recorder.Body)
	}
}
