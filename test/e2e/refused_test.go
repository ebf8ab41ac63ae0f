package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/test/platform"
)

// Whoever looks, at whatever they look, finds the same sentence.
func TestPodsWithoutTheSelectorAreRefusedAndEveryoneCanSeeWhy(t *testing.T) {
	lost := governed(t, "lost")
	log := openAudit(t)
	before := metric(t, brokenDC1)
	for _, c := range controllers() {
		t.Run(c.kind, func(t *testing.T) {
			w := deploy(t, release{lost, strings.ToLower(c.kind), "dc1"})
			c.start(t, w)
			saidWhy(t, log, c, w)
			if pods := podsOf(t, lost, w.name); len(pods) > 0 {
				t.Errorf("%d Pods were let in", len(pods))
			}
		})
	}
	if refused := metric(t, brokenDC1) - before; refused < float64(len(controllers())) {
		t.Errorf("%s grew by %v, wanted at least %d", brokenDC1, refused, len(controllers()))
	}
	for _, object := range []client.Object{
		workload{release: release{namespace: lost}, name: "deployment"}.deployment(0),
		workload{release: release{namespace: lost}, name: "statefulset"}.statefulSet(),
		workload{release: release{namespace: lost}, name: "daemonset"}.daemonSet(),
		workload{release: release{namespace: lost}, name: "job"}.job(),
		workload{release: release{namespace: lost}, name: "cronjob"}.cronJob(""),
	} {
		remove(t, object)
	}
}

const brokenDC1 = `affinity_review_total{action="Deny",class="dc1",reason="ContractBroken",resource="pods",verdict="Denied"}`

// refusalOf is what is said of a Pod of the workload.
func refusalOf(c controlled, w workload, pod string) string {
	return fmt.Sprintf(`Pod %s/%s (Bucket %s): AffinityClass "dc1" requires nodeSelector %s=dc1 (found none); `+
		`set it in spec.nodeSelector of the Pods of %s %s`, w.release.namespace, pod, w.name, zone, c.kind, w.name)
}

func saidWhy(t *testing.T, log *audit, c controlled, w workload) {
	t.Helper()
	failed := awaitEvent(t, w.release.namespace, func(e *corev1.Event) bool {
		return e.Reason == "FailedCreate" && e.InvolvedObject.Kind == c.maker && strings.HasPrefix(e.InvolvedObject.Name, w.name) &&
			strings.Contains(e.Message, "affinity.cozystack.io")
	})
	// Every controller sets generateName, a StatefulSet too.
	message := refusalOf(c, w, failed.InvolvedObject.Name+"-*")
	const denied = `admission webhook "validate-pod.affinity.cozystack.io" denied the request: `
	if !strings.HasSuffix(failed.Message, denied+message) {
		t.Errorf("the %s says\n%s\nwanted at its end\n%s", c.maker, failed.Message, denied+message)
	}
	for kind, name := range map[string]string{"HelmRelease": w.release.name, c.kind: w.name} {
		said := awaitEvent(t, w.release.namespace, func(e *corev1.Event) bool {
			return e.Reason == "ContractBroken" && e.InvolvedObject.Kind == kind && e.InvolvedObject.Name == name
		})
		if said.Message != message || said.Type != corev1.EventTypeWarning || said.InvolvedObject.UID == "" {
			t.Errorf("the Event on %s %s is %s %q, wanted a Warning %q", kind, name, said.Type, said.Message, message)
		}
	}
	wasDenied(t, log, w.release)
	wasLogged(t, message)
}

// awaitEvent waits for an Event of a namespace that fits.
func awaitEvent(t *testing.T, namespace string, fits func(*corev1.Event) bool) *corev1.Event {
	t.Helper()
	var found *corev1.Event
	eventually(t, func() error {
		for _, event := range eventsIn(t, namespace) {
			if fits(&event) {
				found = &event
				return nil
			}
		}
		return fmt.Errorf("no such Event in namespace %s", namespace)
	})
	return found
}

func eventsIn(t *testing.T, namespace string) []corev1.Event {
	t.Helper()
	var events corev1.EventList
	if err := world.Client.List(t.Context(), &events, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return events.Items
}

func wasDenied(t *testing.T, log *audit, r release) {
	t.Helper()
	for _, notes := range log.reviewed(t, r.namespace) {
		if notes["release"] == r.namespace+"/"+r.name && notes["verdict"] == "Denied" &&
			notes["reason"] == "ContractBroken" && notes["class"] == r.class {
			return
		}
	}
	t.Errorf("no creation of a Pod was annotated as denied for release %s", r.name)
}

// wasLogged looks for the refusal's line in the log of the server.
func wasLogged(t *testing.T, message string) {
	t.Helper()
	log, err := os.Open(filepath.Join(cp.Dir(), platform.Server+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ Msg, Verdict, Reason, Message string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == message {
			if line.Msg != "reviewed pods" || line.Verdict != "Denied" || line.Reason != "ContractBroken" {
				t.Errorf("the refusal is logged as %+v", line)
			}
			return
		}
	}
	t.Errorf("the server's log does not say %q", message)
}
