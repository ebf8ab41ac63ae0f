package parity_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage/manifest"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

// The server only warns about a template; the shell says of it what its Pods will be
// told. Both must see the same contract broken.
func TestTheServerWarnsOfTheTemplatesThatTheShellRefuses(t *testing.T) {
	resources := map[string][3]string{"Deployment": {"apps", "v1", "deployments"}, "StatefulSet": {"apps", "v1", "statefulsets"},
		"DaemonSet": {"apps", "v1", "daemonsets"}, "Job": {"batch", "v1", "jobs"}, "CronJob": {"batch", "v1", "cronjobs"}}
	warned, count := 0, 0
	for _, s := range templates() {
		kind := s.manifests[0]["kind"].(string)
		resource, asked := resources[kind]
		if !asked {
			continue // the webhook is not asked about ReplicaSets
		}
		count++
		t.Run(s.name, func(t *testing.T) {
			documents, err := manifest.Read("corpus", bytes.NewReader(list(t, s.manifests)))
			if err != nil {
				t.Fatal(err)
			}
			handler := webhook.ValidateWorkload(webhook.Config{
				Reviewer: review.New(review.Files(manifest.NewIndex(documents...)), review.Fixed{Policy: compiled(t)}, review.Options{}),
				Recorder: silent{}, Metrics: webhook.NewMetrics(prometheus.NewRegistry()), Limits: webhook.DefaultLimits(), Log: logr.Discard(),
			}, policy.Deny)
			server := post(t, handler, admission(t, resource, "shop", marshal(t, s.manifests[0])))
			shell := askShell(t, s)
			refused := shell.Verdict == string(review.Denied) || shell.Verdict == string(review.Warned)
			if !server.Allowed || len(server.Warnings) > 0 != refused {
				t.Errorf("the shell says %+v, the server allows %v and warns %q", shell, server.Allowed, server.Warnings)
			}
			for i, violation := range shell.Violations {
				_, message, _ := strings.Cut(violation, " ")
				if i >= len(server.Warnings) || !strings.Contains(server.Warnings[i], clipped(message)) {
					t.Errorf("the server does not warn of %q: %q", message, server.Warnings)
				}
			}
			if refused {
				warned++
			}
		})
	}
	t.Logf("%d templates, %d of them warned about", count, warned)
	if warned == 0 || warned == count {
		t.Error("the corpus is one-sided")
	}
}

// clipped is the beginning of a message, which a long warning still has.
func clipped(message string) string { return message[:min(len(message), 80)] }

func admission(t *testing.T, resource [3]string, namespace string, object []byte) []byte {
	return marshal(t, map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": map[string]any{
		"uid": "u1", "resource": map[string]any{"group": resource[0], "version": resource[1], "resource": resource[2]},
		"namespace": namespace, "operation": "CREATE", "object": json.RawMessage(object),
	}})
}

// admitted are objects that have rules of their own, and how each may be.
func admitted() []subject {
	var all []subject
	add := func(name string, base map[string]any, change map[string]any) {
		object := maps.Clone(base)
		maps.Copy(object, change)
		all = append(all, subject{name: name, manifests: []map[string]any{object}})
	}
	class := map[string]any{"apiVersion": "cozystack.io/v1alpha1", "kind": "AffinityClass", "metadata": map[string]any{"name": "new"}}
	for name, spec := range map[string]map[string]any{
		"by a selector":               {"nodeSelector": map[string]any{zone: "dc1"}},
		"by terms":                    {"nodeSelectorTerms": []any{zones("dc1", "dc2")}},
		"by both":                     {"nodeSelector": map[string]any{"disk": "ssd"}, "nodeSelectorTerms": []any{zones("dc1")}},
		"that names no nodes":         {},
		"with a value that is none":   {"nodeSelector": map[string]any{zone: "-"}},
		"with a key that is none":     {"nodeSelector": map[string]any{"a b": "c"}},
		"with a term that is empty":   {"nodeSelectorTerms": []any{map[string]any{}}},
		"that warns":                  {"nodeSelector": map[string]any{zone: "dc1"}, "enforcementAction": "Warn"},
		"with an action that is none": {"nodeSelector": map[string]any{zone: "dc1"}, "enforcementAction": "Maybe"},
	} {
		add("a class "+name, class, map[string]any{"spec": spec})
	}
	tenant := map[string]any{"apiVersion": "apps.cozystack.io/v1alpha1", "kind": "Tenant", "metadata": map[string]any{"name": "acme", "namespace": "tenant-root"}}
	for name, spec := range map[string]map[string]any{
		"without a list":                 {},
		"with one":                       {"allowedAffinityClasses": []any{"dc1"}},
		"with an empty one":              {"allowedAffinityClasses": []any{}},
		"with what is no class":          {"allowedAffinityClasses": []any{"Dc_1"}},
		"with what is not there":         {"allowedAffinityClasses": []any{"dc9"}},
		"with a default in its list":     {"allowedAffinityClasses": []any{"dc1"}, "defaultAffinityClass": "dc1"},
		"with a default beside its list": {"allowedAffinityClasses": []any{"dc1"}, "defaultAffinityClass": "dc12"},
	} {
		add("a tenant "+name, tenant, map[string]any{"spec": spec})
	}
	return all
}

func TestTheServerAndTheShellAgreeOnClassesAndTenants(t *testing.T) {
	seen := map[string]int{}
	for _, s := range admitted() {
		t.Run(s.name, func(t *testing.T) {
			config := webhook.Config{
				Reviewer: review.New(review.Files(manifest.NewIndex()), review.Fixed{Policy: compiled(t)}, review.Options{}),
				Recorder: silent{}, Metrics: webhook.NewMetrics(prometheus.NewRegistry()), Limits: webhook.DefaultLimits(), Log: logr.Discard(),
			}
			object := marshal(t, s.manifests[0])
			server := serverAnswer(post(t, webhook.ValidateClass(config), admission(t, [3]string{"cozystack.io", "v1alpha1", "affinityclasses"}, "", object)))
			if s.manifests[0]["kind"] == "Tenant" {
				server = serverAnswer(post(t, webhook.ValidateTenant(config), admission(t, [3]string{"apps.cozystack.io", "v1alpha1", "tenants"}, "tenant-root", object)))
			}
			shell := askShell(t, s)
			if server.Verdict != shell.Verdict || server.Reason != shell.Reason || server.Code != shell.Code {
				t.Errorf("the server says %+v, the shell %+v", server, shell)
			}
			seen[server.Reason]++
		})
	}
	t.Logf("by the server's reason: %v", seen)
	for _, reason := range []review.Reason{review.ClassWellFormed, review.ClassMalformed, review.TenantSound, review.TenantMalformed} {
		if seen[string(reason)] == 0 {
			t.Errorf("no subject ends in %s", reason)
		}
	}
}
