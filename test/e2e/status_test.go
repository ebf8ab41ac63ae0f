package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
)

const tier = "example.org/tier"

func TestTheStatusOfAClassFollowsNodesAndReleases(t *testing.T) {
	space := governed(t, "status")
	lab := class("lab")
	lab.Spec.NodeSelector, lab.Spec.EnforcementAction = map[string]string{tier: "lab"}, v1alpha1.Warn
	establish(t, lab)
	follow := following{"lab"}
	follow.until(t, "no node", 0, 0, 0)
	follow.condition(t, metav1.ConditionFalse, "NoNodes", corev1.EventTypeWarning)

	addNodes(t, map[string]map[string]string{"lab-a": {tier: "lab"}, "lab-b": {tier: "lab"}})
	follow.until(t, "two nodes", 2, 2, 0)
	follow.condition(t, metav1.ConditionTrue, "NodesMatch", corev1.EventTypeNormal)
	patchNode(t, "lab-a", `{"spec":{"unschedulable":true}}`)
	follow.until(t, "one of them cordoned", 2, 1, 0)
	patchNode(t, "lab-a", `{"spec":{"unschedulable":null}}`)
	follow.until(t, "none cordoned any more", 2, 2, 0)
	patchNode(t, "lab-b", `{"metadata":{"labels":{"`+controlplane.BreakNode+`":"true"}}}`)
	follow.until(t, "one of them not ready", 2, 1, 0)
	patchNode(t, "lab-a", `{"metadata":{"labels":{"`+tier+`":"office"}}}`)
	follow.until(t, "one of them of another tier", 1, 0, 0)

	web := deploy(t, release{space, "web", "lab"})
	deploy(t, release{space, "db", "lab"})
	follow.until(t, "two releases", 1, 0, 2)
	wantColumns(t, []string{"NAME", "SELECTOR", "ACTION", "NODES", "RELEASES", "AGE"}, []string{"lab", `{"` + tier + `":"lab"}`, "Warn", "1", "2"})
	remove(t, web.release.object())
	follow.until(t, "one release", 1, 0, 1)

	patchNode(t, "lab-b", `{"metadata":{"labels":{"`+tier+`":null}}}`)
	follow.until(t, "no node any more", 0, 0, 1)
	follow.condition(t, metav1.ConditionFalse, "NoNodes", corev1.EventTypeWarning)
}

// following looks at the status of one class.
type following struct{ class string }

func (f following) until(t *testing.T, when string, matching, ready, releases int32) {
	t.Helper()
	want := v1alpha1.AffinityClassStatus{Nodes: v1alpha1.NodeCounts{Matching: matching, Ready: ready}, Releases: releases}
	eventually(t, func() error {
		got := classNow(t, f.class).Status
		if got.Nodes != want.Nodes || got.Releases != want.Releases {
			return fmt.Errorf("with %s the status is %+v, wanted %+v", when, got, want)
		}
		return nil
	})
}

// condition wants the condition Ready, and the Event of its change.
func (f following) condition(t *testing.T, status metav1.ConditionStatus, reason, kind string) {
	t.Helper()
	var got *v1alpha1.AffinityClass
	var c *metav1.Condition
	eventually(t, func() error {
		got = classNow(t, f.class)
		c = meta.FindStatusCondition(got.Status.Conditions, "Ready")
		if c == nil || c.Status != status || c.Reason != reason || c.ObservedGeneration != got.Generation {
			return fmt.Errorf("the condition is %+v, wanted %s %s", c, status, reason)
		}
		return nil
	})
	event := awaitEvent(t, metav1.NamespaceDefault, func(e *corev1.Event) bool {
		return e.InvolvedObject.Kind == "AffinityClass" && e.InvolvedObject.Name == f.class && e.Reason == reason
	})
	if event.Type != kind || event.InvolvedObject.UID != got.UID || event.Message != c.Message {
		t.Errorf("the Event is %s %q on %s, wanted %s %q", event.Type, event.Message, event.InvolvedObject.UID, kind, c.Message)
	}
}

func wantColumns(t *testing.T, header, row []string) {
	t.Helper()
	out, problems, err := kubectl(t, "", "get", "affinityclass", row[0])
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err != nil || len(lines) != 2 {
		t.Fatalf("kubectl get affinityclass: %v\n%s%s", err, out, problems)
	}
	t.Logf("$ kubectl get affinityclass %s\n%s", row[0], out)
	if got := strings.Fields(lines[0]); strings.Join(got, " ") != strings.Join(header, " ") {
		t.Errorf("the columns are %v, wanted %v", got, header)
	}
	if got := strings.Fields(lines[1]); strings.Join(got[:len(row)], " ") != strings.Join(row, " ") {
		t.Errorf("the row is %v, wanted %v and an age", got, row)
	}
}

// addNodes adds nodes with labels, for the test alone.
func addNodes(t *testing.T, labels map[string]map[string]string) {
	t.Helper()
	var specs []controlplane.NodeSpec
	for name, of := range labels {
		specs = append(specs, controlplane.NodeSpec{Name: name, Labels: of})
		t.Cleanup(func() { remove(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}) })
	}
	if err := cp.AddNodes(t.Context(), specs); err != nil {
		t.Fatal(err)
	}
}

func patchNode(t *testing.T, name, patch string) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	err := world.Client.Patch(context.WithoutCancel(t.Context()), node, client.RawPatch("application/merge-patch+json", []byte(patch)))
	if err != nil {
		t.Fatal(err)
	}
}
