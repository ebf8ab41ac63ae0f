package webhook_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/webhook"
)

const (
	nextPod = "Pod shop/db-1 (Postgres db): " + binaryPath + " counts from the next Pod on; this one keeps the terms that it was created with"
	weights = binaryPath + ` has weights, which are accepted for one more release and whose magnitude is dropped; write {"prefer_with_tag":["a"]}`
)

func TestAnUpdateIsJudgedForWhatItChanges(t *testing.T) {
	none := func(t *testing.T) *corev1.Pod {
		pod := asking(t, "")
		pod.Annotations = nil
		return pod
	}
	value := func(value string) func(*testing.T) *corev1.Pod {
		return func(t *testing.T) *corev1.Pod { return asking(t, value) }
	}
	gated := func(of func(*testing.T) *corev1.Pod) func(*testing.T) *corev1.Pod {
		return func(t *testing.T) *corev1.Pod {
			pod := of(t)
			pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "quota"}}
			return pod
		}
	}
	const web = `{"require_with_tag":["web"]}`
	for _, tt := range []struct {
		name     string
		old, new func(*testing.T) *corev1.Pod
		reason   string
		warnings []string
	}{
		{"nothing", value(web), value(web), "Unchanged", nil},
		{"not even a value that is stored malformed", value("x"), value("x"), "Unchanged", nil},
		{"it is given one", none, value(web), "BinaryChanged", []string{nextPod}},
		{"it is given another", value(`{"prefer_with_tag":["a"]}`), value(web), "BinaryChanged", []string{nextPod}},
		{"it is taken away", value(web), none, "BinaryChanged", []string{nextPod}},
		{"it is emptied, which is not taking it away", value(web), value(""), "BinaryMalformed", nil},
		{"one with weights", none, value(`{"a":7}`), "BinaryChanged", []string{weights, nextPod}},
		{"the last gate goes, and the terms are no longer asked for", gated(value(web)), value(web), "ContractKept", nil},
		{"the last gate goes together with another value", gated(value(web)), value(`{"a":7}`), "ContractKept", []string{weights, nextPod}},
		{"nor does a malformed one pass with it", gated(value(web)), value(`{"a":"b"}`), "BinaryMalformed", nil},
	} {
		for _, mode := range modes() {
			t.Run(fmt.Sprintf("%s, %s", tt.name, mode), func(t *testing.T) {
				got := answer(t, post(t, webhook.ValidatePod(serve(release).config, mode), reviewing(t, tt.new(t), tt.old(t))))
				if got.AuditAnnotations["reason"] != tt.reason || got.Allowed == (tt.reason == "BinaryMalformed") {
					t.Errorf("got %+v", got)
				}
				if diff := cmp.Diff(tt.warnings, got.Warnings); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// weighted is a review of a Deployment whose template asks by a value.
func template(value string) string {
	return strings.Replace(fmt.Sprintf(deploymentReview, `"nodeSelector":{"zone":"dc1"}`), `{"template":{`,
		fmt.Sprintf(`{"template":{"metadata":{"annotations":{"affinity.cozystack.io/binary":%q}},`, value), 1)
}

func TestWeightsAreToldOfWhereTheyAreSubmitted(t *testing.T) {
	s := serve(release)
	workload := func(body string) []string {
		return answer(t, post(t, webhook.ValidateWorkload(s.config, policy.Deny), body)).Warnings
	}
	long := `{"a":1,"` + strings.Repeat("b", 63) + `":1,"` + strings.Repeat("c", 63) + `":1}`
	for _, tt := range []struct {
		reason string
		got    []string
		want   []string
	}{
		{"in a template", workload(template(`{"a":7}`)), []string{"spec.template." + weights}},
		{"nothing of words", workload(template(`{"prefer_with_tag":["a"]}`)), nil},
		{"what does not fit into a warning is to be had elsewhere", workload(template(long)),
			[]string{"spec.template." + binaryPath + " has weights, which are accepted for one more release and whose magnitude is dropped; affinityctl binary convert prints what to write"}},
		{"a malformed one is warned of with its path", workload(template(`{"a":7.5}`)),
			[]string{"Deployment shop/web (Postgres web): spec.template." + binaryPath + `[a]: Invalid value: "7.5": a weight must be an integer without fraction and exponent`}},
		{"a key that no header can hold is shown all the same", workload(template(`{"a\u0001":"x"}`)),
			[]string{"Deployment shop/web (Postgres web): spec.template." + binaryPath + "[a\uFFFD]" + `: Invalid value: "\"x\"": a weight written as a string must be digits, with or without a minus`}},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
	if forgetful := workload(strings.Replace(template(`{"a":7}`), `"nodeSelector":{"zone":"dc1"}`, "", 1)); len(forgetful) != 2 || len(s.recorder.refused) != 0 {
		t.Errorf("of a template that forgets its class as well: %q, and Events of it %v", forgetful, s.recorder.refused)
	}
	const told = `Deployment shop/web (Postgres web): spec.template.` + weights
	if diff := cmp.Diff(told, s.recorder.weighted[0].Message); diff != "" || len(s.recorder.weighted) != 3 {
		t.Errorf("told of %d: %s", len(s.recorder.weighted), diff)
	}
	if err := testutil.GatherAndCompare(s.registry, strings.NewReader(`
# HELP affinity_binary_weighted_total Binary affinity values with weights that were accepted where they were submitted.
# TYPE affinity_binary_weighted_total counter
affinity_binary_weighted_total{resource="deployments"} 3
`), "affinity_binary_weighted_total"); err != nil {
		t.Error(err)
	}
}

func TestWeightsOfAPodAreToldOfOnce(t *testing.T) {
	s := serve(release)
	validate := webhook.ValidatePod(s.config, policy.Deny)
	pod := mutated(t, s, asking(t, `{"a":7}`))
	if got := answer(t, post(t, validate, reviewing(t, pod, nil))); !cmp.Equal(got.Warnings, []string{weights}) {
		t.Errorf("warnings %q", got.Warnings)
	}
	dry := strings.Replace(reviewing(t, pod, nil), `"namespace":"shop"`, `"dryRun":true,"namespace":"shop"`, 1)
	answer(t, post(t, validate, dry))
	pod.Spec.NodeSelector = nil // it is refused, and so not accepted
	answer(t, post(t, validate, reviewing(t, pod, nil)))
	if len(s.recorder.weighted) != 1 || s.recorder.weighted[0].Self.Object.Name != "db-1" || s.recorder.weighted[0].Once != "r1" {
		t.Errorf("told of %+v", s.recorder.weighted)
	}
	if _, found := pod.Annotations[binaryaffinity.TranslatedAnnotation]; !found {
		t.Error("it was not translated")
	}
}
