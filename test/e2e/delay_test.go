package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Clients obey retryAfterSeconds inside the workers of controllers: were there
// one in an answer, a refused ReplicaSet would stall everybody's.
func TestRefusedReplicaSetsDoNotDelayAnotherNamespace(t *testing.T) {
	fair := governed(t, "fair")
	breakAPI(t)
	var alone []time.Duration
	for i := range 3 {
		alone = append(alone, timeToPods(t, release{fair, "alone-" + strconv.Itoa(i), "dc1"}))
	}
	slices.Sort(alone)
	baseline := alone[len(alone)/2]
	t.Logf("20 Pods of a Deployment, alone: %v", alone)
	for _, code := range []int{403, 409, 503} {
		spoilt := spoiler(t, code)
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			log := openAudit(t)
			stop := crowdOut(t, spoilt)
			took := timeToPods(t, release{fair, fmt.Sprintf("beside-%d", code), "dc1"})
			sets := stop()
			refused := 0
			for _, event := range log.events(t, `"code":`+strconv.Itoa(code)) {
				if event.ObjectRef != nil && event.ObjectRef.Namespace == spoilt.release.namespace && event.ObjectRef.Resource == "pods" {
					refused++
				}
			}
			t.Logf("beside %d ReplicaSets refused %d times with %d: %s, ratio %.1f", sets, refused, code, took, float64(took)/float64(baseline))
			if refused < 10 {
				t.Errorf("%d refusals with %d are no noise", refused, code)
			}
			if took > max(5*baseline, 5*time.Second) {
				t.Errorf("20 Pods took %s beside refusals with %d, and %s alone", took, code, baseline)
			}
		})
	}
}

// spoiler is a workload whose Pods are refused with the code.
func spoiler(t *testing.T, code int) workload {
	t.Helper()
	r := release{governed(t, fmt.Sprintf("spoilt-%d", code)), "spoilt", "dc1"}
	if code == 409 {
		r.class = "dc404" // there is none
	}
	w := deploy(t, r).unscheduled()
	if code == 503 {
		w.owner = new(downOwner())
	}
	return w
}

// crowdOut makes ReplicaSets that are refused: five, as many as the controller has
// workers, have been refused when it returns; more follow until it is stopped.
// Stop says how many there were, and removes them.
func crowdOut(t *testing.T, w workload) (stop func() int) {
	t.Helper()
	const workers = 5
	ctx, cancel := context.WithCancel(t.Context())
	made := 0
	another := func() error {
		made++
		return world.Client.Create(t.Context(), numbered(w, made))
	}
	for range workers {
		if err := another(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range workers {
		awaitFailure(t, numbered(w, i+1))
	}
	var more sync.WaitGroup
	more.Go(func() {
		for pause := time.NewTicker(50 * time.Millisecond); ctx.Err() == nil && made < 100; <-pause.C {
			if err := another(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	return func() int {
		cancel()
		more.Wait()
		for i := range made {
			remove(t, numbered(w, i+1))
		}
		return made
	}
}

// numbered is one of many ReplicaSets of a workload.
func numbered(w workload, number int) *appsv1.ReplicaSet {
	w.name = fmt.Sprintf("%s-%d", w.name, number)
	return w.replicaSet(10)
}

// awaitFailure waits until a ReplicaSet says that its Pods are refused.
func awaitFailure(t *testing.T, set *appsv1.ReplicaSet) {
	t.Helper()
	eventually(t, func() error {
		var now appsv1.ReplicaSet
		if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(set), &now); err != nil {
			return err
		}
		for _, condition := range now.Status.Conditions {
			if condition.Type == appsv1.ReplicaSetReplicaFailure {
				return nil
			}
		}
		return fmt.Errorf("ReplicaSet %s was not refused yet", set.Name)
	})
}

// timeToPods is how long it takes from a Deployment to all of its twenty Pods.
func timeToPods(t *testing.T, r release) time.Duration {
	t.Helper()
	w := deploy(t, r).inZone(r.class).unscheduled()
	deployment := w.deployment(20)
	start := time.Now()
	create(t, deployment)
	awaitPods(t, r.namespace, w.name, 20)
	took := time.Since(start)
	remove(t, deployment)
	return took.Round(time.Millisecond)
}
