package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

const crowdSize = 500

// The server's calls are counted in the audit log of the API server; each Pod is
// two reviews, one that mutates and one that validates.
func TestFiveHundredPodsOfOneReplicaSetCostOneReadAHop(t *testing.T) {
	space := governed(t, "crowd")
	w := deploy(t, release{space, "crowd", "dc1"}).inZone("dc1").unscheduled()
	log := openAudit(t)
	deployment := w.deployment(crowdSize)
	create(t, deployment)
	awaitPods(t, space, w.name, crowdSize)

	reads := within(log.reads(t), space)
	t.Logf("%d Pods cost %d reads: %v", crowdSize, total(reads), reads)
	for _, kind := range []string{"replicasets", "deployments"} {
		if got := readsOf(reads, kind); got != 1 {
			t.Errorf("%d reads of %s, wanted one", got, kind)
		}
	}
	// The watch may tell of the release a moment after the first Pod has come.
	if got := readsOf(reads, "helmreleases"); got > 2 {
		t.Errorf("%d reads of the release, wanted none, or two at most", got)
	}

	warm := openAudit(t)
	scale(t, w, crowdSize+100)
	awaitPods(t, space, w.name, crowdSize+100)
	if calls := warm.reads(t); total(calls) != 0 {
		t.Errorf("100 more Pods, all known, cost calls to the API server: %v", calls)
	}
	allowed := 0
	for _, notes := range warm.reviewed(t, space) {
		if notes["verdict"] == "Allowed" {
			allowed++
		}
	}
	t.Logf("%d more Pods were judged by %d calls to the API server", allowed, total(warm.reads(t)))
	if allowed < 100 {
		t.Errorf("%d of 100 more Pods are known to have been allowed", allowed)
	}
	remove(t, deployment)
	awaitPods(t, space, w.name, 0) // their deletion would slow down the tests that follow
}

func readsOf(reads map[string]int, kind string) int {
	sum := 0
	for path, count := range reads {
		if strings.Contains(path, "/"+kind+"/") {
			sum += count
		}
	}
	return sum
}

func scale(t *testing.T, w workload, replicas int32) {
	t.Helper()
	_, problems, err := kubectl(t, "", "scale", "deployment", w.name, "-n", w.release.namespace, fmt.Sprintf("--replicas=%d", replicas))
	if err != nil {
		t.Fatalf("scale %s: %v\n%s", w.name, err, problems)
	}
}

// A denial rests on live reads; those who are denied together share them.
func TestFiveHundredDeniedPodsShareTheirLiveReads(t *testing.T) {
	space := governed(t, "denied")
	w := deploy(t, release{space, "web", "dc1"})
	create(t, w.deployment(0))
	pod := podOf(space, "web", replicaSetOwner(replicaSetOf(t, w)))
	body := reviewOf(t, pod)
	if err := broken(ask(world.URL+"/validate-pod", body)); err != nil { // not cold
		t.Fatal(err)
	}
	log := openAudit(t)
	live := metric(t, "affinity_lineage_live_reads_total")

	var all sync.WaitGroup
	answers := make(chan error, crowdSize)
	for range crowdSize {
		all.Go(func() { answers <- broken(ask(world.URL+"/validate-pod", body)) })
	}
	all.Wait()
	close(answers)
	slow := 0
	for err := range answers {
		switch {
		case errors.Is(err, errUnknown):
			slow++
		case err != nil:
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d reviews could not tell within their deadline", slow, crowdSize)
	if slow > crowdSize/2 { // a machine that is this busy proves nothing
		t.Errorf("%d of %d reviews could not tell", slow, crowdSize)
	}
	reads := log.reads(t)
	for _, kind := range []string{"replicasets", "deployments", "helmreleases", "affinityclasses"} {
		got := readsOf(reads, kind)
		t.Logf("%d denials at once cost %d reads of %s", crowdSize, got, kind)
		if got < 1 || got > 40 {
			t.Errorf("%d reads of %s, wanted at least one and at most 40", got, kind)
		}
	}
	counted := metric(t, "affinity_lineage_live_reads_total") - live
	if told := total(within(reads, space)); int(counted) != told {
		t.Errorf("the metric counts %v live reads, the audit log %d", counted, told)
	}
}

var errUnknown = errors.New("the review could not tell")

// broken turns an answer other than the refusal of a broken contract into an error.
func broken(answer *admissionv1.AdmissionResponse, err error) error {
	switch {
	case err != nil:
		return err
	case answer.Allowed:
		return fmt.Errorf("a Pod that breaks its contract was let in: %v", answer.AuditAnnotations)
	case answer.Result.Code == http.StatusServiceUnavailable:
		return fmt.Errorf("%w: %s", errUnknown, answer.Result.Message)
	case answer.Result.Code != http.StatusForbidden || answer.AuditAnnotations["reason"] != "ContractBroken":
		return fmt.Errorf("refused for another reason: %+v", answer.Result)
	}
	return nil
}
