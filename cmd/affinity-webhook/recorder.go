package main

import (
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
// owner: whoever deploys through Flux sees no answer of the API server, and a
// ReplicaSet only says FailedCreate. The broadcaster aggregates equal Events,
// limits them per object (25 at once, then one in five minutes), and drops what
// it cannot keep up with rather than hold up a review.
type events struct{ recorder record.EventRecorder }

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
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	source := corev1.EventSource{Component: component}
	return events{broadcaster.NewRecorder(scheme, source)}, broadcaster.Shutdown, nil
}

// Record records the verdict; it does not block.
func (e events) Record(v *review.Verdict) {
	if owner := v.Facts.Top; owner != nil && owner.Object.Namespace == v.Facts.Subject.Namespace {
		e.warn(&corev1.ObjectReference{
			APIVersion: owner.APIVersion, Kind: owner.Object.Kind,
			Namespace: owner.Object.Namespace, Name: owner.Object.Name, UID: owner.Object.UID,
		}, v)
	}
	if release := v.Facts.Release; release != nil {
		e.warn(&corev1.ObjectReference{
			APIVersion: releaseVersion, Kind: release.Kind,
			Namespace: release.Namespace, Name: release.Name, UID: release.UID,
		}, v)
	}
}

func (e events) warn(about *corev1.ObjectReference, v *review.Verdict) {
	const longest = 1024 // bytes, as in the newer kind of Events
	e.recorder.Event(about, corev1.EventTypeWarning, string(v.Reason), v.Message[:min(longest, len(v.Message))])
}
