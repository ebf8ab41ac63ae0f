package e2e_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

var (
	modesFromStrictest   = []string{"deny", "warn", "audit"}
	actionsFromStrictest = []v1alpha1.EnforcementAction{v1alpha1.Deny, v1alpha1.Warn, v1alpha1.Audit}
)

// The milder of the namespace's mode and the class's action decides; whatever it
// is, everyone who looks can see that the contract is broken.
func TestTheMilderOfModeAndActionDecides(t *testing.T) {
	for _, action := range actionsFromStrictest {
		establish(t, softer("does-"+strings.ToLower(string(action)), action))
	}
	for m, mode := range modesFromStrictest {
		space := namespace(t, "mode-"+mode, map[string]string{enforce: mode})
		for a, action := range actionsFromStrictest {
			t.Run(fmt.Sprintf("a class that says %s in a namespace that says %s", action, mode), func(t *testing.T) {
				name := strings.ToLower(string(action))
				softened{space, name, "does-" + name, actionsFromStrictest[max(m, a)]}.check(t)
			})
		}
	}
}

// softened is a Pod without a selector, of a ReplicaSet and a release of the same
// name, and what becomes of it.
type softened struct {
	space, name, class string
	want               v1alpha1.EnforcementAction
}

func (s softened) check(t *testing.T) {
	w := deploy(t, release{s.space, s.name, s.class})
	set := w.replicaSet(0)
	create(t, set)
	log, before := openAudit(t), metric(t, s.series())
	_, said, err := kubectl(t, manifest(t, podOf(s.space, s.name, replicaSetOwner(set))), "create", "-f", "-")
	if (err != nil) != (s.want == v1alpha1.Deny) || said != s.said() {
		t.Errorf("kubectl create: %v\n%s\nwanted\n%s", err, said, s.said())
	}
	if diff := cmp.Diff([]map[string]string{s.noted()}, log.reviewed(t, s.space)); diff != "" {
		t.Errorf("audit annotations, wanted (-), got (+):\n%s", diff)
	}
	if grown := metric(t, s.series()) - before; grown != 1 {
		t.Errorf("%s grew by %v, wanted 1", s.series(), grown)
	}
	for _, kind := range []string{"HelmRelease", "ReplicaSet"} {
		event := awaitEvent(t, s.space, func(e *corev1.Event) bool {
			return e.InvolvedObject.Kind == kind && e.InvolvedObject.Name == s.name && e.Reason == "ContractBroken"
		})
		if event.Message != s.message() || event.Type != corev1.EventTypeWarning {
			t.Errorf("the Event on the %s is %s %q, wanted a Warning %q", kind, event.Type, event.Message, s.message())
		}
	}
}

func (s softened) title() string {
	return fmt.Sprintf(`Pod %s/%s (Bucket %s): AffinityClass %q`, s.space, s.name, s.name, s.class)
}

func (s softened) message() string {
	return fmt.Sprintf("%s requires nodeSelector %s=dc1 (found none); set it in spec.nodeSelector of the Pods of ReplicaSet %s", s.title(), zone, s.name)
}

// said is what kubectl prints beside that the Pod was created.
func (s softened) said() string {
	switch s.want {
	case v1alpha1.Deny:
		return `Error from server (Forbidden): error when creating "STDIN": ` + deniedBy + s.message() + "\n"
	case v1alpha1.Warn:
		return fmt.Sprintf("Warning: %s: nodeSelector %s=dc1 is required, found none\n", s.title(), zone)
	}
	return ""
}

func (s softened) verdict() string {
	return []string{"Denied", "Warned", "Allowed"}[slices.Index(actionsFromStrictest, s.want)]
}

// noted are the annotations in the audit log; those of a refusal need no message,
// since the answer has it.
func (s softened) noted() map[string]string {
	notes := map[string]string{"verdict": s.verdict(), "reason": "ContractBroken", "class": s.class, "release": s.space + "/" + s.name}
	if s.want != v1alpha1.Deny {
		notes["message"] = s.message()
	}
	return notes
}

func (s softened) series() string {
	return fmt.Sprintf(`affinity_review_total{action=%q,class=%q,reason="ContractBroken",resource="pods",verdict=%q}`, s.want, s.class, s.verdict())
}

// The mode is the API server's choice of a path, so nothing of ours need learn of
// a switch first.
func TestANamespacesModeIsSwitchedWhileEverythingRuns(t *testing.T) {
	space := governed(t, "mode-switch")
	pod := deploy(t, release{space, "web", "dc1"}).pod()
	for _, mode := range []string{"warn", "deny", "audit", "deny"} {
		object := &corev1.Namespace{}
		object.Name = space
		patch := client.MergeFrom(object.DeepCopy())
		object.Labels = map[string]string{enforce: mode}
		if err := world.Client.Patch(t.Context(), object, patch); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		eventually(t, func() error {
			if _, no := tried(t, pod); no != (mode == "deny") {
				return fmt.Errorf("with the mode %s the Pod is refused: %v", mode, no)
			}
			return nil
		})
		t.Logf("%s is in force after %s", mode, time.Since(start).Round(time.Millisecond))
	}
}
