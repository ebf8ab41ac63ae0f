package e2e_test

import (
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
)

// reviews are what an honest namespace asks, with the answers that are right.
type reviews struct{ allowed, denied [][]byte }

// quietReviews are of several workloads, so that denials seldom wait for the pace
// at which one object is read.
func quietReviews(t *testing.T, space string) reviews {
	t.Helper()
	var r reviews
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		w := deploy(t, release{space, name, "dc1"})
		set := w.replicaSet(0)
		create(t, set)
		pod := podOf(space, name, replicaSetOwner(set))
		r.denied = append(r.denied, reviewOf(t, pod))
		pod.Spec.NodeSelector = map[string]string{zone: "dc1"}
		r.allowed = append(r.allowed, reviewOf(t, pod))
	}
	return r
}

// measure times reviews one after another and looks at every answer.
func (r reviews) measure(t *testing.T) map[string][]time.Duration {
	t.Helper()
	const rounds = 25 // of 8 each
	times := map[string][]time.Duration{}
	for range rounds {
		for i := range r.allowed {
			answer, took := timed(t, r.allowed[i])
			if !answer.Allowed || answer.AuditAnnotations["reason"] != "ContractKept" {
				t.Errorf("an honest Pod: %+v", answer)
			}
			times["allowed"] = append(times["allowed"], took)
			answer, took = timed(t, r.denied[i])
			if err := broken(answer, nil); err != nil {
				t.Error(err)
			}
			times["denied"] = append(times["denied"], took)
		}
	}
	return times
}

func timed(t *testing.T, body []byte) (*admissionv1.AdmissionResponse, time.Duration) {
	t.Helper()
	start := time.Now()
	answer := post(t, world.URL+"/validate-pod", body)
	return answer, time.Since(start)
}
