package e2e_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
)

// judged is a stage whose Pods are judged, and the same nodes as another namespace
// sees them.
func judged(t *testing.T, name string) (s, other stage) {
	t.Helper()
	s = onStage(t, name)
	other = s
	s.namespace, other.namespace = governed(t, name+"-judged"), namespace(t, name+"-other", nil)
	return s, other
}

// refused wants a conflict, and gives what it says.
func (s stage) refused(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	err := world.Client.Create(t.Context(), pod)
	if !apierrors.IsConflict(err) {
		t.Fatalf("Pod %s, which asks %q: %v, wanted a conflict", pod.Name, pod.Annotations, err)
	}
	for _, secret := range []string{s.a, s.b, s.c, s.name + "-other"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the answer tells %q: %v", secret, err)
		}
	}
	return err.Error()
}

const (
	asksWeb   = `{"require_with_tag":["web"]}`
	asksQuiet = `{"require_without_tag":["batch"]}`
)

func TestWhatNothingSatisfiesIsRefusedUntilABearerIsBound(t *testing.T) {
	s, _ := judged(t, "bin-state")
	client := player{name: "client", asks: asksWeb}
	said := s.refused(t, s.pod(t, client))
	if want := `Pod bin-state-judged/client: affinity_constraints: {"require_with_tag":["web"]} leaves it none of the 3 node(s) that its ` +
		`constraints on nodes allow: 3 node(s): require_with_tag web: no Pod there bears it; `; !strings.Contains(said, want) {
		t.Errorf("got %s\nwant %s", said, want)
	}
	s.has(t, player{name: "web", tags: "web", on: s.b})
	s.goes(t, s.b, client)
	s.refused(t, s.pod(t, player{name: "elsewhere", asks: asksWeb, only: s.a}))

	s.has(t, player{name: "batch-a", tags: "batch", on: s.a}, player{name: "batch-b", tags: "batch", on: s.b})
	s.goes(t, s.c, player{name: "quiet", asks: asksQuiet})
	s.has(t, player{name: "batch-c", tags: "batch", on: s.c})
	s.refused(t, s.pod(t, player{name: "quieter", asks: asksQuiet}))
}

func TestTheFirstOfAGroupIsToldItsTwoWaysOut(t *testing.T) {
	s, _ := judged(t, "bin-seed")
	const group = `{"require_with_tag":["group"]}`
	said := s.refused(t, s.pod(t, player{name: "first", tags: "group", asks: group}))
	if want := "begin the group with a Pod that bears the tag and does not ask for it, or ask by prefer_with_tag"; !strings.Contains(said, want) {
		t.Errorf("got %s\nwant %s", said, want)
	}
	s.goes(t, s.c, player{name: "seed", tags: "group", only: s.c})
	s.always(t, s.c, player{tags: "group", asks: group})
}

// Both directions: a tag there neither lets in nor refuses, and what is said is the
// same with it and without.
func TestATagOfAnotherNamespaceNeitherSatisfiesNorTrips(t *testing.T) {
	s, other := judged(t, "bin-apart")
	before := s.refused(t, s.pod(t, player{name: "client", asks: asksWeb}))
	for _, node := range []string{s.a, s.b, s.c} {
		other.has(t, player{name: "web-" + node, tags: "web batch", on: node})
	}
	if after := s.refused(t, s.pod(t, player{name: "client", asks: asksWeb})); after != before {
		t.Errorf("the answer tells of another namespace's tag\nwithout: %s\nwith: %s", before, after)
	}
	s.goes(t, s.b, player{name: "quiet", asks: asksQuiet, only: s.b})
	for _, event := range eventsIn(t, s.namespace) {
		if strings.Contains(event.Message, other.namespace) {
			t.Errorf("an Event tells of another namespace: %s", event.Message)
		}
	}
}

// A full cluster is the scheduler's business, and hides nothing.
func TestAShortageIsNoConflictAndHidesNone(t *testing.T) {
	s, _ := judged(t, "bin-full")
	s.has(t, player{name: "web", tags: "web", on: s.a})
	large := func(p player) *corev1.Pod {
		pod := s.pod(t, p)
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100k")}
		return pod
	}
	waiting := large(player{name: "waiting", asks: asksWeb})
	create(t, waiting)
	remove(t, waiting)
	s.refused(t, large(player{name: "impossible", asks: `{"require_with_tag":["nobody"]}`}))
}

// What a review costs the API server: nothing for a Pod that requires nothing or that
// memory lets in; lists of nodes and of the bearers for one that is refused.
func TestOnlyARefusalForNeighboursListsThem(t *testing.T) {
	s, _ := judged(t, "bin-calls")
	s.has(t, player{name: "web", tags: "web", on: s.a})
	s.goes(t, s.a, player{name: "warm", asks: asksWeb})
	pods, nodes := "/api/v1/namespaces/"+s.namespace+"/pods", "/api/v1/nodes"
	tests := []struct {
		name string
		do   func()
		want int // lists of each
	}{
		{"a Pod that requires nothing", func() { create(t, s.pod(t, player{name: "plain", asks: `{"prefer_with_tag":["web"]}`})) }, 0},
		{"a Pod that is satisfied", func() { create(t, s.pod(t, player{name: "client", asks: asksWeb})) }, 0},
		{"a Pod that is refused", func() { s.refused(t, s.pod(t, player{name: "lost", asks: `{"require_with_tag":["nobody"]}`})) }, 1},
	}
	for _, tt := range tests {
		log := openAudit(t)
		tt.do()
		if reads := log.reads(t); reads[pods] != tt.want || reads[nodes] != tt.want {
			t.Errorf("%s: %d lists of Pods and %d of nodes, want %d of each", tt.name, reads[pods], reads[nodes], tt.want)
		}
	}
}

// What a gated Pod is held to when its last gate goes is the terms that it was created
// with, whatever has become of its annotation.
func TestAGateGoesByTheTermsAndNotByTheAnnotation(t *testing.T) {
	s, _ := judged(t, "bin-gate")
	tests := []struct {
		name, created, then string
		conflict            bool
	}{
		{"asks-later", `{}`, `{"require_with_tag":["nobody"]}`, false},
		{"asks-no-more", `{"require_with_tag":["nobody"]}`, `{}`, true},
	}
	for _, tt := range tests {
		pod := s.pod(t, player{name: tt.name})
		pod.Annotations = map[string]string{"affinity.cozystack.io/binary": tt.created} // what is missing is added on the way
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
		create(t, pod)
		pod.Annotations["affinity.cozystack.io/binary"] = tt.then
		if err := world.Client.Update(t.Context(), pod); err != nil {
			t.Fatalf("%s: another annotation: %v", tt.name, err)
		}
		pod.Spec.SchedulingGates = nil
		if err := world.Client.Update(t.Context(), pod); apierrors.IsConflict(err) != tt.conflict || !tt.conflict && err != nil {
			t.Errorf("%s: the gate goes: %v, want a conflict: %t", tt.name, err, tt.conflict)
		} else if tt.conflict && !strings.Contains(err.Error(), "affinity_constraints") {
			t.Errorf("%s: another conflict than wanted: %v", tt.name, err)
		}
	}
}
