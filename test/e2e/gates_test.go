package e2e_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// Whoever gated a Pod may still complete it: it is judged when it is ready to be
// scheduled, and not asked about before.
func TestAGatedPodIsWarnedAtCreationAndJudgedWhenItsLastGateGoes(t *testing.T) {
	space := governed(t, "gates")
	pod := deploy(t, release{space, "web", "dc1"}).pod()
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.org/a"}, {Name: "example.org/b"}}
	log := openAudit(t)
	_, said, err := kubectl(t, manifest(t, pod), "create", "-f", "-")
	const title = `Pod gates/web (Bucket web): AffinityClass "dc1"`
	if want := "Warning: " + title + ": nodeSelector topology.kubernetes.io/zone=dc1 is required, found none\n"; err != nil || said != want {
		t.Errorf("kubectl create: %v\n%s\nwanted\n%s", err, said, want)
	}
	const broken = title + " requires nodeSelector topology.kubernetes.io/zone=dc1 (found none); set it in spec.nodeSelector"
	of := map[string]string{"class": "dc1", "release": "gates/web"}
	wantNotes(t, log, "create", with(of, "verdict", "Allowed", "reason", "Gated", "message", broken))

	const gateB, none = `{"spec":{"schedulingGates":[{"name":"example.org/b"}]}}`, `{"spec":{"schedulingGates":null}}`
	patched(t, gateB, "")
	patched(t, none, "Error from server (Forbidden): "+deniedBy+broken+"\n")
	patched(t, `{"metadata":{"labels":{"app":"other"}}}`, "")
	patched(t, `{"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"dc1"}}}`, "")
	patched(t, none, "")
	patched(t, `{"metadata":{"labels":{"app":"web"}}}`, "")
	unasked := map[string]string{}
	wantNotes(t, log, "patch", unasked, with(of, "verdict", "Denied", "reason", "ContractBroken"), unasked, unasked,
		with(of, "verdict", "Allowed", "reason", "ContractKept"), unasked)
	runIn(t, workload{release: release{space, "web", "dc1"}, name: "web"}, "dc1")
}

// patched changes the Pod as a user would, and compares what kubectl says.
func patched(t *testing.T, patch, want string) {
	t.Helper()
	_, said, err := kubectl(t, "", "patch", "pod", "web", "-n", "gates", "--type=merge", "-p", patch)
	if said != want || (err != nil) != (want != "") {
		t.Errorf("kubectl patch %s: %v\n%s\nwanted\n%s", patch, err, said, want)
	}
}

// wantNotes compares the annotations of every request of the verb for the Pod
// itself; the components of Kubernetes write its status and binding.
func wantNotes(t *testing.T, log *audit, verb string, want ...map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, log.notes(t, "gates", verb)); diff != "" {
		t.Errorf("audit annotations of %s, wanted (-), got (+):\n%s", verb, diff)
	}
}

// with is a copy of a map that has these keys and values too.
func with(m map[string]string, pairs ...string) map[string]string {
	grown := map[string]string{}
	for key, value := range m {
		grown[key] = value
	}
	for i := 0; i < len(pairs); i += 2 {
		grown[pairs[i]] = pairs[i+1]
	}
	return grown
}
