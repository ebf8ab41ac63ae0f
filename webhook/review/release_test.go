package review_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

const (
	namesDC1   = `{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":"dc1","replicas":2}}}`
	namesDC2   = `{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":"dc2"}}}`
	namesNone  = `{"metadata":{"name":"web"},"spec":{"values":{"replicas":2}}}`
	byNote     = `{"metadata":{"name":"web","annotations":{"affinity.cozystack.io/class":"dc2"}},"spec":{}}`
	atHome     = "tenant-acme" // allows dc1 and dc2, default dc1
	elsewhere  = "shop"        // no tenant's
	scheduling = `{"affinityClass":"dc1","nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":` +
		`[{"matchExpressions":[{"key":"zone","operator":"In","values":["dc1"]}]}]}},"nodeSelector":{"zone":"dc1"},"tolerations":[]}`
)

func simple(name string) *v1alpha1.AffinityClass {
	c := class(name, name)
	delete(c.Spec.NodeSelector, "disk")
	return c
}

func tenantWorld() *world {
	s := policy.New(simple("dc1"), simple("dc2"), simple("dc3")).
		WithTenant(policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{"dc1", "dc2", "dc9"}, Default: "dc1"}).
		WithNamespace(atHome, policy.Namespace{Mode: policy.Deny, Tenant: true}).WithNamespace(elsewhere, policy.Namespace{Mode: policy.Deny})
	return &world{cached: map[string]*lineage.Object{}, live: map[string]*lineage.Object{}, classes: s, liveClasses: s}
}

// admit is what the API server does with a release: patched, then judged.
func admit(t *testing.T, w *world, namespace, before, object string) (string, review.Verdict) {
	t.Helper()
	reviewer := review.New(w.begin, w, review.Options{})
	request := func(text string) *review.ReleaseRequest {
		req := &review.ReleaseRequest{Namespace: namespace, Object: decodeRelease(t, text)}
		if before != "" {
			req.Old = decodeRelease(t, before)
		}
		return req
	}
	for range 2 { // as under reinvocation
		object = apply(t, object, reviewer.CompleteRelease(context.Background(), request(object)))
	}
	return object, reviewer.Release(context.Background(), request(object))
}

func decodeRelease(t *testing.T, text string) *review.HelmRelease {
	t.Helper()
	h := &review.HelmRelease{}
	if err := json.Unmarshal([]byte(text), h); err != nil {
		t.Fatal(err)
	}
	return h
}

func apply(t *testing.T, object string, ops []review.PatchOp) string {
	t.Helper()
	text, err := json.Marshal(ops)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		t.Fatal(err)
	}
	patched, err := patch.Apply([]byte(object))
	if err != nil {
		t.Fatalf("%s on %s: %v", text, object, err)
	}
	return string(patched)
}

// borne is what a release bears of ours, on one line.
func borne(t *testing.T, object string) string {
	t.Helper()
	h := decodeRelease(t, object)
	derived := policy.ReadDerived(h.Metadata.Labels, h.Metadata.Annotations)
	text := derived.Class + "/" + string(derived.Source) + "/" + strings.Join(derived.Previous, "+")
	if strings.Contains(string(h.Spec.Values), `"_scheduling"`) {
		text += " injected"
	}
	return text
}

func TestAReleaseIsGivenItsClass(t *testing.T) {
	stored := func(labels, notes, values, status string) string {
		return `{"metadata":{"name":"web","generation":3,"labels":{` + labels + `},"annotations":{` + notes + `}},"spec":{"values":{` + values + `}},"status":` + status + `}`
	}
	const (
		ready    = `{"observedGeneration":3,"conditions":[{"type":"Ready","status":"True"}]}`
		failed   = `{"observedGeneration":3,"conditions":[{"type":"Ready","status":"False"}]}`
		isDC1    = `"apps.cozystack.io/affinity-class":"dc1"`
		isDC3    = `"apps.cozystack.io/affinity-class":"dc3"`
		explicit = `"affinity.cozystack.io/class-source":"explicit"`
		fallback = `"affinity.cozystack.io/class-source":"default"`
	)
	for _, tt := range []struct {
		name, namespace, before, object string
		want                            string // label/source/previous, and whether values were injected
		reason                          review.Reason
	}{
		{"by its values", atHome, "", namesDC1, "dc1/explicit/ injected", review.ClassDerived},
		{"by its annotation, without values", atHome, "", byNote, "dc2/explicit/ injected", review.ClassDerived},
		{"by its tenant's default", atHome, "", namesNone, "dc1/default/ injected", review.ClassDerived},
		{"an empty name is none", atHome, "", `{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":""}}}`, "dc1/default/ injected", review.ClassDerived},
		{"null values take it", atHome, "", `{"metadata":{"name":"web"},"spec":{"values":null}}`, "dc1/default/ injected", review.ClassDerived},
		{"the default stays", atHome, stored(isDC1, fallback, `"_scheduling":`+scheduling, ready), namesNone, "dc1/default/ injected", review.Unchanged},
		{"no default later", atHome, stored("", "", "", ready), namesNone, "//", review.Unchanged},
		{"a forged label is taken away", atHome, stored("", "", "", ready), stored(isDC3, "", "", ready), "//", review.Unchanged},
		{"a forged label at creation is replaced", atHome, "", stored(isDC3, fallback, "", ready), "dc1/default/ injected", review.ClassDerived},
		{"forged values are replaced", atHome, "", `{"metadata":{"name":"web"},"spec":{"values":{"affinityClass":"dc1","_scheduling":{"affinityClass":"dc3"}}}}`,
			"dc1/explicit/ injected", review.ClassDerived},
		{"forged values without a class are taken away", atHome, stored("", "", "", ready), stored("", "", `"_scheduling":{}`, ready), "//", review.Unchanged},
		{"a forged former class is taken away", atHome, "", stored("", `"affinity.cozystack.io/previous-class":"dc3"`, `"affinityClass":"dc1"`, failed),
			"dc1/explicit/ injected", review.ClassDerived},
		{"a change keeps the old one", atHome, stored(isDC1, explicit, `"affinityClass":"dc1"`, ready), namesDC2, "dc2/explicit/dc1 injected", review.ClassDerived},
		{"values may be left alone", atHome, "", stored("", `"affinity.cozystack.io/inject-values":"false"`, `"affinityClass":"dc1"`, failed), "dc1/explicit/", review.ClassDerived},
		{"another cluster is another's", atHome, "", `{"metadata":{"name":"web","labels":{` + isDC3 + `}},"spec":{"kubeConfig":{},"values":{"affinityClass":"dc1"}}}`, "//", review.ClassDerived},
		{"elsewhere a name counts too", elsewhere, "", namesDC1, "dc1/explicit/ injected", review.ClassDerived},
		{"elsewhere nothing is touched without one", elsewhere, "", stored(isDC3, "", `"_scheduling":{}`, ready), "dc3// injected", review.NoClass},
		{"what the controller writes is no change", atHome, stored(isDC1, fallback, `"_scheduling":`+scheduling, ready),
			stored(isDC1, fallback, `"_scheduling":`+scheduling, failed), "dc1/default/ injected", review.Unchanged},
		{"a class that is no longer allowed stays until another is named", atHome, stored(isDC3, explicit, `"affinityClass":"dc3","_scheduling":{"affinityClass":"dc3"}`, ready),
			stored("", "", `"affinityClass":"dc3"`, ready), "dc3/explicit/ injected", review.Unchanged},
		{"what is being deleted passes", atHome, namesDC1, `{"metadata":{"name":"web","deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"values":{"affinityClass":"dc3"}}}`, "//", review.Unchanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, verdict := admit(t, tenantWorld(), tt.namespace, tt.before, tt.object)
			if !verdict.Admits() {
				t.Fatalf("%s %s: %s", verdict.Kind, verdict.Reason, verdict.Message)
			}
			if diff := cmp.Diff(tt.want, borne(t, got)); diff != "" {
				t.Error(diff)
			}
			judged := tt.reason == review.Unchanged && verdict.Reason == review.ClassDerived // what was patched back is looked at
			if verdict.Reason != tt.reason && !judged {
				t.Errorf("got %s, want %s", verdict.Reason, tt.reason)
			}
		})
	}
}
