package fault_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// wanted is an error unless the Pod was refused so; code 0 is one let in, with the
// text as the reason in the audit annotations.
func wanted(got reply, code int32, text string) error {
	switch {
	case got.AdmissionResponse == nil:
		return fmt.Errorf("no answer: %d %s", got.status, got.body)
	case code == 0 && got.Allowed && got.AuditAnnotations["reason"] == text:
		return nil
	case code != 0 && !got.Allowed && got.Result.Code == code && strings.Contains(got.Result.Message, text):
		return nil
	}
	return fmt.Errorf("answered %s, wanted %d and %q", got.body, code, text)
}

// What people write by hand into a Pod's owners gets them nothing.
func TestOwnersWrittenByHand(t *testing.T) {
	first().survives(t)
	space, next := governed(t, "by-hand"), governed(t, "by-hand-next")
	mine, other := newApp(t, space, "mine"), app{namespace: space, name: "other", class: "dc2"}.deployed(t)
	theirs := newApp(t, next, "theirs")
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "own"}}
	put(t, config)
	const nowhere = "an owner reference leads to no such object"
	for _, test := range []struct {
		name   string
		owner  metav1.OwnerReference
		q      quality
		code   int32
		text   string
		reason string
	}{
		{"one's own controller", mine.owner, good, 0, "ContractKept", ""},
		{"somebody else's controller, by whose class the Pod is judged", other.owner, good, 403, `AffinityClass "dc2" requires`, "lineage allows it"},
		{"another namespace's", theirs.owner, good, 409, nowhere, "it is looked up here"},
		{"a name of here with a uid of there", owner("apps/v1", "ReplicaSet", "mine", theirs.owner.UID), good, 409, nowhere, ""},
		{"one's own ConfigMap", owner("v1", "ConfigMap", "own", config.UID), good, 403, "kind ConfigMap may not be read", "forbidden to us"},
		{"a Secret", owner("v1", "Secret", "own", "own"), good, 403, "Secrets are never read", ""},
		{"a kind that nobody serves", owner("example.org/v1", "Ghost", "own", "own"), good, 403, "kind Ghost.example.org is not served", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := mine
			a.owner = test.owner
			through := begin(t, trying(a))
			through.more(t, 2, test.q, expected(test.code))
			through.stop()
			if err := wanted(judged(t, world.URL, a.pod(test.q)), test.code, test.text); err != nil {
				t.Errorf("%v (%s)", err, test.reason)
			}
		})
	}
}

// A Flux label is no evidence: it counts only where what it names deploys here.
func TestFluxLabelsWrittenByHand(t *testing.T) {
	space, next := governed(t, "flux-label"), namespace(t, "flux-label-next", nil)
	here, away := newApp(t, space, "here"), newApp(t, next, "away")
	into := app{namespace: next, name: "into", class: "dc2"}
	release := into.release()
	release.Object["spec"].(map[string]any)["targetNamespace"] = space
	put(t, release)
	gone := here
	gone.name = "gone"
	for _, test := range []struct {
		name string
		of   app
		code int32
		text string
	}{
		{"a release of here", here, 403, `AffinityClass "dc1" requires`},
		{"a release elsewhere that deploys here", into, 403, `AffinityClass "dc2" requires`},
		{"a release elsewhere", away, 0, "NoRelease"},
		{"a release that is gone", gone, 0, "NoRelease"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := claim{test.of, space}.labelled(t)
			if err := wanted(judged(t, world.URL, pod), test.code, test.text); err != nil {
				t.Error(err)
			}
			if got, said := create(t.Context(), pod, client.DryRunAll); got != expected(test.code) {
				t.Errorf("through the API server it was %s: %s", got, said)
			}
		})
	}
}

func expected(code int32) outcome {
	if code == 0 {
		return admitted
	}
	return refused(code)
}

// A kind that is forbidden to us is the platform admin's to allow, and then it
// works without a restart.
func TestAForbiddenKindWorksOnceItIsAllowed(t *testing.T) {
	first().survives(t)
	space := governed(t, "forbidden-kind")
	a := newApp(t, space, "held")
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "held", Labels: a.flux()}}
	put(t, config)
	a.owner = owner("v1", "ConfigMap", config.Name, config.UID)
	l := begin(t, asking(world.URL, a))
	l.more(t, 3, good, refused(http.StatusForbidden))
	role := extraKinds()
	put(t, role)
	l.more(t, 3, good, admitted)
	l.stop()
	l.holds(t, refused(http.StatusForbidden))
	if err := wanted(judged(t, world.URL, a.pod(bad)), 403, `AffinityClass "dc1" requires`); err != nil {
		t.Error(err)
	}
	do(t, func() error { return world.Client.Delete(t.Context(), role) })
}

func TestCyclesAndChainsThatAreTooLong(t *testing.T) {
	first().survives(t)
	space := governed(t, "chains")
	a := newApp(t, space, "app")
	chain := []metav1.OwnerReference{a.owner}
	for i := range 15 {
		chain = append(chain, link(t, a, fmt.Sprintf("hop-%d", i), chain[len(chain)-1]))
	}
	for hops, code := range map[int]int32{14: 0, 15: 409} { // and the release is one more
		long := a
		long.owner = chain[hops]
		l := begin(t, asking(world.URL, long))
		l.more(t, 2, good, expected(code))
		l.stop()
		l.holds(t, refused(409))
	}

	one := link(t, a, "one", chain[1])
	two := link(t, a, "two", one)
	var set appsv1.ReplicaSet
	do(t, func() error {
		return world.Client.Get(t.Context(), client.ObjectKey{Namespace: space, Name: "one"}, &set)
	})
	patch := client.MergeFrom(set.DeepCopy()) // its controller writes to it as well
	set.OwnerReferences = []metav1.OwnerReference{two}
	do(t, func() error { return world.Client.Patch(t.Context(), &set, patch) })
	dizzy := a
	dizzy.owner = two
	if err := wanted(judged(t, world.URL, dizzy.pod(good)), 409, "the owner references form a cycle"); err != nil {
		t.Error(err)
	}
}

// link is a ReplicaSet under an owner, with no label of its own.
func link(t *testing.T, a app, name string, above metav1.OwnerReference) metav1.OwnerReference {
	t.Helper()
	set := a.replicaSet(name)
	set.Labels, set.OwnerReferences = nil, []metav1.OwnerReference{above}
	put(t, set)
	return ownerOf(set)
}
