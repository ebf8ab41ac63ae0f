package charts_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
)

// judged are the labels of ours that a Pod of the release bears once its class is
// known; an unmanaged one bears none of them.
func judged(class string) map[string]string {
	labels := application()
	labels[policy.ClassLabel] = class
	return labels
}

// derived are the labels of ours that a Pod bears.
func derived(pod *corev1.Pod) map[string]string {
	labels := map[string]string{}
	for key := range judged("") {
		if value, ok := pod.Labels[key]; ok {
			labels[key] = value
		}
	}
	return labels
}

func TestHooksAreJudgedByTheClassOfTheirRelease(t *testing.T) {
	t.Parallel()
	r := release{chart: "web", namespace: "hooks", in: "dc1"}
	r.deploy(t)
	r.awaitReady(t, "True", "Helm install succeeded")
	for prefix, want := range map[string]int{"app-prepare-": 1, "app-check-": 1, "app-": 5} {
		pods := r.pods(t, prefix)
		if len(pods) != want {
			t.Errorf("%d Pods are called %s*, want %d", len(pods), prefix, want)
		}
		for i := range pods {
			if diff := cmp.Diff(judged("dc1"), derived(&pods[i])); diff != "" || pods[i].Spec.NodeName != "dc1" {
				t.Errorf("Pod %s runs on node %s with labels (-want +got):\n%s", pods[i].Name, pods[i].Spec.NodeName, diff)
			}
		}
	}
}

func TestAHookThatBreaksTheClassIsRefusedAndTheReleaseNeverBegins(t *testing.T) {
	t.Parallel()
	r := release{chart: "web", namespace: "bad-hooks"}
	r.deploy(t)
	refusal := fmt.Sprintf(`Pod bad-hooks/app-prepare-* (Bucket app): AffinityClass "dc1" requires nodeSelector %s=dc1 (found none); `+
		`set it in spec.nodeSelector of the Pods of Job app-prepare`, zone)
	r.awaitEvent(t, "FailedCreate", "Job", refusal)
	r.awaitEvent(t, "ContractBroken", "HelmRelease", refusal)
	r.awaitReady(t, "False", "failed pre-install")
	if pods := r.pods(t, ""); len(pods) > 0 {
		t.Errorf("%d Pods were let in", len(pods))
	}
}

// A limit that docs/security.md tells of: Flux before helm-controller 1.6 labels no
// hook, and a Job without owners and labels is nobody's.
func TestHooksWithoutFluxLabelsAreNotGovernedAndWorkloadsStillAre(t *testing.T) {
	t.Parallel()
	r := release{chart: "web", namespace: "old-flux", hooks: "nohooks"}
	r.deploy(t)
	r.awaitEvent(t, "ContractBroken", "HelmRelease", "set it in spec.nodeSelector of the Pods of Deployment app")
	hooks := r.pods(t, "app-prepare-")
	if len(hooks) != 1 {
		t.Fatalf("%d Pods of the hook were let in, want 1", len(hooks))
	}
	if diff := cmp.Diff(map[string]string{}, derived(&hooks[0])); diff != "" {
		t.Errorf("the Pod of the hook bears labels of a release (-want +got):\n%s", diff)
	}
	if pods := r.pods(t, ""); len(pods) != 1 {
		t.Errorf("%d Pods were let in, want that of the hook alone", len(pods))
	}
}
