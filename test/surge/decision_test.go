package surge_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
	"github.com/cozystack/affinityclass/test/controlplane"
)

// inPool is a node of the pool with four cpus.
func inPool(name, pool string) controlplane.NodeSpec {
	return controlplane.NodeSpec{Name: name, Labels: map[string]string{"pool": pool},
		Capacity: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi")}}
}

// bound waits until all Pods of an app are on a node.
func bound(t *testing.T, app, node string, replicas int) {
	t.Helper()
	eventually(t, func() error {
		found := pods(t, client.MatchingLabels{"app": app})
		for _, pod := range found {
			if pod.Spec.NodeName != node {
				return fmt.Errorf("pod %s is on %q, want %s: %v", pod.Name, pod.Spec.NodeName, node, pod.Status.Conditions)
			}
		}
		if len(found) != replicas {
			return fmt.Errorf("%d Pods of %s, want %d", len(found), app, replicas)
		}
		return nil
	})
}

// pending waits until the scheduler has given up on all Pods of an app.
func pending(t *testing.T, app string, replicas int) {
	t.Helper()
	eventually(t, func() error {
		found := pods(t, client.MatchingLabels{"app": app})
		for i := range found {
			if found[i].Spec.NodeName != "" || !unschedulable(&found[i]) {
				return fmt.Errorf("pod %s is on %q: %v", found[i].Name, found[i].Spec.NodeName, found[i].Status.Conditions)
			}
		}
		if len(found) != replicas {
			return fmt.Errorf("%d Pods of %s, want %d", len(found), app, replicas)
		}
		return nil
	})
}

// reserve creates the placeholder on behalf of a report.
func reserve(t *testing.T, r *surge.Report) *corev1.Pod {
	t.Helper()
	pod := r.Placeholder.DeepCopy()
	pod.Labels["app"] = surge.AppName
	create(t, pod)
	return pod
}

func release(t *testing.T, placeholder *corev1.Pod) {
	t.Helper()
	if err := api.Delete(t.Context(), placeholder); err != nil {
		t.Fatal(err)
	}
}

// leave evicts every Pod of an app from a node.
func leave(t *testing.T, app string) {
	t.Helper()
	for _, pod := range pods(t, client.MatchingLabels{"app": app}) {
		evict(t, &pod)
	}
}

// The nodes of the case: the one to be drained, the one that is in use, and the one
// that comes later.
const old, busy, fresh = "old", "busy", "fresh"

// Two services that need much cpu must not share a host. The placeholder of the
// drain's size finds room beside the other service, and nothing is gained; that of
// a whole node's worth does not, and a fresh node takes them all.
func TestTheDecisionRecordsCase(t *testing.T) {
	addNodes(t, inPool(busy, "record"))
	create(t, service("web", "record", "1500m", 1))
	bound(t, "web", busy, 1)
	addNodes(t, inPool(old, "record"))
	db := service("db", "record", "1", 2)
	db.Spec.Template.Spec.Affinity = apart("web", corev1.LabelHostname)
	create(t, db)
	t.Cleanup(func() { remove(t, "db"); remove(t, "web") })
	bound(t, "db", old, 2)

	besideTheOther(t)
	uncordon(t, old)
	bound(t, "db", old, 2)
	onAFreshNode(t)
}

// besideTheOther drains with the default size.
func besideTheOther(t *testing.T) {
	t.Helper()
	r := audit(t, look(t, old, surge.DrainSized))
	if diff := cmp.Diff([]string{busy}, r.DrainSized.Absorb); diff != "" {
		t.Fatalf("drain-sized lands on (-want +got):\n%s", diff)
	}
	if len(r.DrainSized.Unplaced) != 2 || !r.Elsewhere[0].Nowhere() || !r.Elsewhere[1].Nowhere() {
		t.Fatalf("the audit does not see what will happen: unplaced %v, elsewhere %+v", r.DrainSized.Unplaced, r.Elsewhere)
	}
	for _, refused := range r.Hosts[0].Refused {
		if refused.Class != surge.NodeLevel || refused.Stage != "pod_anti_affinity" {
			t.Errorf("%s is refused by %s, %s", refused.Pod, refused.Stage, refused.Class)
		}
	}
	cordon(t, old)
	placeholder := reserve(t, r)
	bound(t, surge.AppName, busy, 1)
	release(t, placeholder)
	leave(t, "db")
	pending(t, "db", 2)
}

// onAFreshNode drains with a whole node's worth.
func onAFreshNode(t *testing.T) {
	t.Helper()
	r := audit(t, look(t, old, surge.WholeNode))
	if len(r.WholeNode.Absorb) > 0 || len(r.WholeNode.Unplaced) > 0 || r.WholeNode.Excluded[0].Node != busy {
		t.Fatalf("whole-node lands on %v, excluded %v", r.WholeNode.Absorb, r.WholeNode.Excluded)
	}
	cordon(t, old)
	placeholder := reserve(t, r)
	pending(t, surge.AppName, 1)
	addNodes(t, inPool(fresh, "record"))
	bound(t, surge.AppName, fresh, 1)
	release(t, placeholder)
	leave(t, "db")
	bound(t, "db", fresh, 2)
}
