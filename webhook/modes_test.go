package webhook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook"
	"github.com/cozystack/affinityclass/webhook/review"
)

func TestThePathGivesTheMode(t *testing.T) {
	for _, tt := range []struct {
		mode     policy.Mode
		allowed  bool
		verdict  string
		warnings int
	}{{policy.Deny, false, "Denied", 0}, {policy.Warn, true, "Warned", 1}, {policy.Audit, true, "Allowed", 0}} {
		s := serve(release)
		got := answer(t, post(t, webhook.ValidatePod(s.config, tt.mode), bad()))
		if got.Allowed != tt.allowed || got.AuditAnnotations["verdict"] != tt.verdict || len(got.Warnings) != tt.warnings {
			t.Errorf("%s: got %+v", tt.mode, got)
		}
		if (got.AuditAnnotations["message"] != "") != tt.allowed || got.AuditAnnotations["reason"] != "ContractBroken" {
			t.Errorf("%s: audit annotations %v", tt.mode, got.AuditAnnotations)
		}
		if len(s.recorder.refused) != 1 {
			t.Errorf("%s: %d Events, want one in every mode", tt.mode, len(s.recorder.refused))
		}
	}
}

// update makes an UPDATE of the review, whose old Pod had the gates.
func update(review, oldGates string) string {
	return strings.Replace(strings.Replace(review, "CREATE", "UPDATE", 1), `"object":`,
		`"oldObject":{"metadata":{"name":"db-1",`+owned+`},"spec":{"schedulingGates":[`+oldGates+`]}},"object":`, 1)
}

const owned = `"ownerReferences":[
{"apiVersion":"helm.toolkit.fluxcd.io/v2","kind":"HelmRelease","name":"db","uid":"r1","controller":true}]`

func TestAPodIsJudgedWhenItsLastGateGoes(t *testing.T) {
	gated := func(gates string) string {
		return fmt.Sprintf(podReview, "", `,"schedulingGates":[`+gates+`]`)
	}
	const gate = `{"name":"quota"}`
	for _, tt := range []struct {
		name, body, reason string
		allowed            bool
		warnings           int
	}{
		{"a gated Pod is warned about", gated(gate), "Gated", true, 1},
		{"the last gate of a bad one does not go", update(bad(), gate), "ContractBroken", false, 0},
		{"that of a good one goes", update(good(), gate), "ContractKept", true, 0},
		{"nor does it together with the owners", strings.Replace(update(bad(), gate), `"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db-1",`+owned,
			`"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"db-1"`, 1), "ContractBroken", false, 0},
		{"an update that leaves a gate is not judged", update(gated(gate), gate+`,{"name":"other"}`), "Unchanged", true, 0},
		{"nor is one of a Pod that had none", update(bad(), ""), "Unchanged", true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := answer(t, post(t, webhook.ValidatePod(serve(release).config, policy.Deny), tt.body))
			if got.Allowed != tt.allowed || got.AuditAnnotations["reason"] != tt.reason || len(got.Warnings) != tt.warnings {
				t.Errorf("got allowed=%v %v warnings %q", got.Allowed, got.AuditAnnotations, got.Warnings)
			}
		})
	}
}

const deploymentReview = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1",
"resource":{"group":"apps","version":"v1","resource":"deployments"},"namespace":"shop","operation":"CREATE","userInfo":{"username":"jane"},
"object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","labels":{"helm.toolkit.fluxcd.io/name":"web"}},
"spec":{"template":{"spec":{%s}}}}}}`

func TestAWorkloadIsOnlyEverWarnedAbout(t *testing.T) {
	const warning = `Deployment shop/web (Postgres web): AffinityClass "dc1": nodeSelector zone=dc1 is required, found none`
	for _, tt := range []struct {
		name, spec string
		mode       policy.Mode
		want       string
	}{
		{"a template that forgets", ``, policy.Deny, warning},
		{"also where it is only a warning", ``, policy.Warn, warning},
		{"not where it is only recorded", ``, policy.Audit, ""},
		{"a good template", `"nodeSelector":{"zone":"dc1"}`, policy.Deny, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(release)
			got := answer(t, post(t, webhook.ValidateWorkload(s.config, tt.mode), fmt.Sprintf(deploymentReview, tt.spec)))
			if !got.Allowed || strings.Join(got.Warnings, "|") != tt.want || len(s.recorder.refused) != 0 {
				t.Errorf("got allowed=%v warnings %q events %v", got.Allowed, got.Warnings, s.recorder.refused)
			}
		})
	}
	got := answer(t, post(t, webhook.ValidateWorkload(serve(release).config, policy.Deny), strings.ReplaceAll(good(), `"CREATE"`, `"UPDATE"`)))
	if got.Allowed || got.Result.Code != 400 {
		t.Errorf("an object without a template: %+v", got)
	}
	s := serve(release)
	made := strings.Replace(fmt.Sprintf(deploymentReview, ""), `"resource":"deployments"`, `"resource":"made-up"`, 1)
	if got := answer(t, post(t, webhook.ValidateWorkload(s.config, policy.Deny), made)); got.Allowed || got.Result.Code != 400 {
		t.Errorf("a resource that no rule sends: %+v", got)
	}
	families, err := s.registry.Gather()
	if err != nil || strings.Contains(fmt.Sprint(families), "made-up") {
		t.Errorf("what a request names became a metric: %v %v", families, err)
	}
}

// referrers answers who uses a class.
type referrers struct {
	names []string
	total int
	err   error
}

func (r referrers) Referrers(context.Context, string, int) ([]string, int, error) {
	return r.names, r.total, r.err
}

const classReview = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1",
"resource":{"group":"cozystack.io","version":"v1alpha1","resource":"affinityclasses"},"operation":"%s","userInfo":{"username":"jane"},%s}}`

func TestValidateClass(t *testing.T) {
	class := func(zone string) string {
		return `{"apiVersion":"cozystack.io/v1alpha1","kind":"AffinityClass","metadata":{"name":"dc1"},"spec":{"nodeSelector":{"zone":"` + zone + `"}}}`
	}
	used := referrers{names: []string{"HelmRelease shop/a", "HelmRelease shop/b"}, total: 7}
	for _, tt := range []struct {
		name, body string
		who        referrers
		code       int32
		message    string
	}{
		{"a good one", fmt.Sprintf(classReview, "CREATE", `"object":`+class("dc1")), used, 0, ""},
		{"a bad one", fmt.Sprintf(classReview, "CREATE", `"object":`+class("-")), used, 400, "spec.nodeSelector[zone]"},
		{"another selector", fmt.Sprintf(classReview, "UPDATE", `"object":`+class("dc2")+`,"oldObject":`+class("dc1")), used, 400, "immutable"},
		{"a deletion while it is used", fmt.Sprintf(classReview, "DELETE", `"object":null,"oldObject":`+class("dc1")), used, 409,
			"AffinityClass dc1: it is in use by HelmRelease shop/a, HelmRelease shop/b and 5 more; have them name another class first"},
		{"a deletion of an unused one", fmt.Sprintf(classReview, "DELETE", `"object":null,"oldObject":`+class("dc1")), referrers{}, 0, ""},
		{"a deletion when nobody can tell", fmt.Sprintf(classReview, "DELETE", `"object":null,"oldObject":`+class("dc1")), referrers{err: context.DeadlineExceeded}, 503, "could not be read now"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(release)
			s.config.Reviewer = review.New(review.Files(getter(release)), review.Fixed{Policy: policy.New(&v1alpha1.AffinityClass{})}, review.Options{Referrers: tt.who})
			got := answer(t, post(t, webhook.ValidateClass(s.config), tt.body))
			if got.Allowed != (tt.code == 0) {
				t.Fatalf("got %+v", got)
			}
			if !got.Allowed && (got.Result.Code != tt.code || !strings.Contains(got.Result.Message, tt.message)) {
				t.Errorf("got %d %s", got.Result.Code, got.Result.Message)
			}
		})
	}
}
