package fault_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// load makes Pods, good and bad ones in turn, until it is stopped.
type load struct {
	*tally
	end    context.CancelFunc
	makers sync.WaitGroup
}

// maker makes one Pod, or has one judged, and says what became of it.
type maker func(ctx context.Context, q quality) (outcome, string)

// begin runs makers side by side. The pause leaves the machine to those who work
// on the answers.
func begin(t *testing.T, makers ...maker) *load {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	l := &load{tally: newTally(), end: cancel}
	for _, each := range makers {
		l.makers.Go(func() {
			for q := good; ctx.Err() == nil; q = other(q) {
				outcome, said := each(context.WithoutCancel(ctx), q)
				l.add(answer{q, outcome}, said)
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	t.Cleanup(l.stop)
	return l
}

func other(q quality) quality {
	if q == good {
		return bad
	}
	return good
}

// stop returns when each Pod that was begun has its answer.
func (l *load) stop() {
	l.end()
	l.makers.Wait()
}

// more waits until there are so many more such answers.
func (l *load) more(t *testing.T, n int, q quality, o outcome) {
	t.Helper()
	want := l.of(q, o) + n
	eventually(t, func() error {
		if got := l.of(q, o); got < want {
			return fmt.Errorf("%d %s Pods %s, waiting for %d; so far %s", got, q, o, want, l)
		}
		return nil
	})
}

// works waits until good Pods are let in and bad ones refused for what they are.
func (l *load) works(t *testing.T) {
	t.Helper()
	l.more(t, 5, good, admitted)
	l.more(t, 5, bad, refused(http.StatusForbidden))
}

// creating makes real Pods of an application.
func creating(a app) maker {
	return func(ctx context.Context, q quality) (outcome, string) { return create(ctx, a.pod(q)) }
}

// trying is creating, as a dry run: it leaves no Pods.
func trying(a app) maker {
	return func(ctx context.Context, q quality) (outcome, string) {
		return create(ctx, a.pod(q), client.DryRunAll)
	}
}

// create is the creation of a Pod through the API server.
func create(ctx context.Context, pod *corev1.Pod, options ...client.CreateOption) (outcome, string) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	err := world.Client.Create(ctx, pod, options...)
	if err == nil {
		return admitted, ""
	}
	var status apierrors.APIStatus
	switch {
	case !errors.As(err, &status):
		return failed, err.Error()
	case strings.Contains(err.Error(), "failed calling webhook"):
		return uncalled, err.Error()
	case strings.Contains(err.Error(), "denied the request"):
		return refused(status.Status().Code), err.Error()
	}
	return failed, err.Error()
}

// counted compares the Pods that exist with the answers.
func (l *load) counted(t *testing.T, a app) {
	t.Helper()
	var pods corev1.PodList
	if err := world.Client.List(t.Context(), &pods, client.InNamespace(a.namespace)); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, pod := range pods.Items {
		if pod.Spec.NodeSelector[zone] != a.class {
			t.Errorf("Pod %s breaks its class and exists", pod.Name)
			continue
		}
		kept++
	}
	// A Pod whose maker had no answer may exist all the same.
	least, most := l.of(good, admitted), l.of(good, admitted)+l.of(good, failed)
	t.Logf("%d Pods exist, %d were let in", kept, least)
	if kept < least || kept > most {
		t.Errorf("%d Pods exist, wanted between %d and %d", kept, least, most)
	}
}
