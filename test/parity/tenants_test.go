package parity_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// tenantManifest is the Tenant of namespace tenant-acme.
func tenantManifest(allowed []any, byDefault string) map[string]any {
	spec := map[string]any{}
	if allowed != nil {
		spec["allowedAffinityClasses"] = allowed
	}
	if byDefault != "" {
		spec["defaultAffinityClass"] = byDefault
	}
	return map[string]any{"apiVersion": "apps.cozystack.io/v1alpha1", "kind": "Tenant",
		"metadata": map[string]any{"name": "acme", "namespace": "tenant-root"}, "spec": spec}
}

func tenantNamespace() map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "tenant-acme",
		"labels": map[string]any{policy.EnforceLabel: "deny", policy.TenantLabel: "true"}}}
}

func releaseManifest(values any, annotations map[string]any) map[string]any {
	spec := map[string]any{}
	if values != nil {
		spec["values"] = values
	}
	return map[string]any{"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{"name": "web", "namespace": "tenant-acme", "annotations": annotations,
			"labels": map[string]any{policy.ClassLabel: "forged"}}, "spec": spec}
}

// home is a tenant and what it may do.
type home struct {
	name   string
	tenant map[string]any // nil: it is lost
	policy *policy.Tenant
}

func homes() []home {
	h := func(name string, allowed []any, byDefault string) home {
		t := &policy.Tenant{Namespace: "tenant-root", Name: "acme", Default: byDefault}
		if allowed != nil {
			t.Allowed = []string{}
		}
		for _, class := range allowed {
			t.Allowed = append(t.Allowed, class.(string))
		}
		return home{name, tenantManifest(allowed, byDefault), t}
	}
	return []home{
		h("may use two classes", []any{"dc1", "dc2"}, "dc1"), h("may use two and has no default", []any{"dc1", "dc2"}, ""), h("may use none", []any{}, ""), h("may use all", nil, ""),
		h("may use all by a default", nil, "dc1"), h("may use what is not there", []any{"dc9"}, "dc9"),
		h("may use one with terms", []any{"dc12"}, "dc12"), {"has lost its Tenant", nil, nil},
	}
}

// asked is a release, by what it asks for.
type asked struct {
	name    string
	release map[string]any
}

func releases() []asked {
	return []asked{
		{"names dc1", releaseManifest(map[string]any{"affinityClass": "dc1"}, nil)},
		{"names dc3", releaseManifest(map[string]any{"affinityClass": "dc3"}, nil)},
		{"names dc9", releaseManifest(map[string]any{"affinityClass": "dc9"}, nil)},
		{"names none", releaseManifest(map[string]any{"replicas": 1}, nil)},
		{"has no values", releaseManifest(nil, nil)},
		{"names a number", releaseManifest(map[string]any{"affinityClass": 7}, nil)},
		{"names dc12 by annotation", releaseManifest(nil, map[string]any{policy.ClassAnnotation: "dc12"})},
		{"has a list for values", releaseManifest([]any{"a"}, map[string]any{policy.ClassAnnotation: "dc1"})},
		{"keeps its values", releaseManifest(map[string]any{"affinityClass": "dc1"}, map[string]any{policy.InjectAnnotation: "false"})},
	}
}

func TestTheServerAndTheShellAgreeOnTenants(t *testing.T) {
	seen, count, step := map[string]int{}, 0, 0
	for _, h := range homes() {
		for _, r := range releases() {
			for _, v := range variants() {
				if step++; step%3 != 0 { // each is a run of the program: a third of all will do
					continue
				}
				count++
				pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "web-1", "namespace": "tenant-acme",
					"labels": map[string]any{"helm.toolkit.fluxcd.io/name": "web"}}, "spec": specOf(v)}
				t.Run(fmt.Sprintf("%s, %s, %s", h.name, r.name, v.name), func(t *testing.T) {
					server, refused := serverOfTenants(t, h, r.release, pod)
					if diff := cmp.Diff(server, shellOfTenants(t, h, r.release, pod)); diff != "" {
						t.Errorf("server (-) and affinityctl (+) differ:\n%s", diff)
					}
					seen[server[1].Reason]++
					seen[refused]++
				})
			}
		}
	}
	t.Logf("%d subjects, by the server's reason: %v", count, seen)
	for _, reason := range []review.Reason{review.FenceBroken, review.FenceKept, review.ContractKept, review.ContractBroken,
		review.ClassNotAllowed, review.ClassNotFound, review.ClassMalformed, review.ClassDerived} {
		if seen[string(reason)] == 0 {
			t.Errorf("no subject ends in %s", reason)
		}
	}
}

// specOf is the Pod of a variant.
func specOf(v variant) map[string]any {
	spec := map[string]any{}
	if v.selector != nil {
		spec["nodeSelector"] = v.selector
	}
	if v.affinity != nil {
		spec["affinity"] = map[string]any{"nodeAffinity": map[string]any{
			"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{"nodeSelectorTerms": v.affinity}}}
	}
	return spec
}

// serverOfTenants does what the API server does: the release is patched and judged,
// then its Pod is judged.
func serverOfTenants(t *testing.T, h home, release, pod map[string]any) (answers [2]answer, refused string) {
	t.Helper()
	snapshot := compiled(t).WithNamespace("tenant-acme", policy.Namespace{Mode: policy.Deny, Tenant: true})
	if h.policy != nil {
		snapshot = snapshot.WithTenant(*h.policy)
	}
	config := func(objects ...map[string]any) webhook.Config {
		documents, err := manifest.Read("corpus", bytes.NewReader(list(t, objects)))
		if err != nil {
			t.Fatal(err)
		}
		return webhook.Config{
			Reviewer: review.New(review.Files(manifest.NewIndex(documents...)), review.Fixed{Policy: snapshot}, review.Options{}),
			Recorder: silent{}, Metrics: webhook.NewMetrics(prometheus.NewRegistry()), Limits: webhook.DefaultLimits(), Log: logr.Discard(),
		}
	}
	text := marshal(t, release)
	if patch := post(t, webhook.MutateRelease(config(release)), releaseReview(t, text)).Patch; patch != nil {
		decoded, err := jsonpatch.DecodePatch(patch)
		if err != nil {
			t.Fatal(err)
		}
		if text, err = decoded.Apply(text); err != nil {
			t.Fatal(err)
		}
	}
	judged := post(t, webhook.ValidateRelease(config(release)), releaseReview(t, text))
	var completed map[string]any
	if err := json.Unmarshal(text, &completed); err != nil {
		t.Fatal(err)
	}
	answers[0] = serverAnswer(judged)
	answers[1] = serverAnswer(post(t, webhook.ValidatePod(config(completed), policy.Deny), reviewOf(t, pod)))
	return answers, answers[0].Reason
}

func shellOfTenants(t *testing.T, h home, release, pod map[string]any) [2]answer {
	t.Helper()
	context := append(classes(), tenantNamespace())
	if h.tenant != nil {
		context = append(context, h.tenant)
	}
	return [2]answer{
		askShell(t, subject{manifests: append([]map[string]any{release}, context...)}),
		askShell(t, subject{manifests: append([]map[string]any{pod, release}, context...)}),
	}
}

func releaseReview(t *testing.T, release []byte) []byte {
	return marshal(t, map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": map[string]any{
		"uid": "u1", "resource": map[string]any{"group": "helm.toolkit.fluxcd.io", "version": "v2", "resource": "helmreleases"},
		"namespace": "tenant-acme", "operation": "CREATE", "object": json.RawMessage(release),
	}})
}

func post(t *testing.T, handler http.Handler, body []byte) *admissionv1.AdmissionResponse {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorded := httptest.NewRecorder()
	handler.ServeHTTP(recorded, request)
	var out admissionv1.AdmissionReview
	if err := json.Unmarshal(recorded.Body.Bytes(), &out); err != nil || out.Response == nil {
		t.Fatalf("HTTP %d: %s", recorded.Code, recorded.Body)
	}
	return out.Response
}
