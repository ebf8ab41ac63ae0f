package main

import (
	lru "github.com/hashicorp/golang-lru/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/cozystack/affinityclass/webhook/review"
)

// events makes an Event of each refusal, and of each broken
// contract that is tolerated, on the release and on the Pod's top
// owner, and of a value with weights on one of the two: whoever deploys through Flux sees no answer of the API server, and a
// ReplicaSet only says FailedCreate. The broadcaster aggregates equal Events,
// limits them per object (25 at once, then one in five minutes), and drops what
// it cannot keep up with rather than hold up a review.
type events struct {
	recorder record.EventRecorder
	told     *lru.Cache[told, struct{}] // of values with weights
}

// told is what is to be told of once, and what was told.
type told struct{ once, message string }

const toldAtMost = 4096 // what is forgotten is told of again

const (
	component      = "affinity-webhook"
	releaseVersion = "helm.toolkit.fluxcd.io/v2"
)

// newEvents starts a broadcaster; stop ends it. The scheme knows the kinds of the
// objects that it is given whole.
func newEvents(config *rest.Config, scheme *runtime.Scheme) (recorder events, stop func(), err error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return events{}, nil, err
	}
	told, err := lru.New[told, struct{}](toldAtMost)
	if err != nil {
		return events{}, nil, err
	}
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	source := corev1.EventSource{Component: component}
	return events{broadcaster.NewRecorder(scheme, source), told}, broadcaster.Shutdown, nil
}

// Record records the verdict; it does not block.
func (e events) Record(v *review.Verdict) {
	if owner := v.Facts.Top; owner != nil && owner.Object.Namespace == v.Facts.Subject.Namespace {
		e.warn(owner, string(v.Reason), v.Message)
	}
	if release := v.Facts.Release; release != nil {
		e.warn(&review.Owner{APIVersion: releaseVersion, Object: release}, string(v.Reason), v.Message)
	}
}

// weighted is the reason of an Event about a value with weights.
const weighted = "BinaryWeighted"

// RecordWeights tells the release, or else the top owner, or else the object itself,
// and of what is to be told of once only the first time; it does not block.
func (e events) RecordWeights(v *review.Verdict) {
	w := v.Facts.Weighted
	if w.Once != "" {
		if again, _ := e.told.ContainsOrAdd(told{w.Once, w.Message}, struct{}{}); again {
			return
		}
	}
	about := &w.Self
	if owner := v.Facts.Top; owner != nil && owner.Object.Namespace == v.Facts.Subject.Namespace {
		about = owner
	}
	if release := v.Facts.Release; release != nil {
		about = &review.Owner{APIVersion: releaseVersion, Object: release}
	}
	e.warn(about, weighted, w.Message)
}

func (e events) warn(about *review.Owner, reason, message string) {
	const longest = 1024 // bytes, as in the newer kind of Events
	e.recorder.Event(&corev1.ObjectReference{
		APIVersion: about.APIVersion, Kind: about.Object.Kind,
		Namespace: about.Object.Namespace, Name: about.Object.Name, UID: about.Object.UID,
	}, corev1.EventTypeWarning, reason, message[:min(longest, len(message))])
}
