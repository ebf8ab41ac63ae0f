package surge_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

func size() int {
	if os.Getenv("AFFINITYCLASS_TEST_SIZE") == "long" {
		return 200
	}
	return 20
}

// seed is given by AFFINITYCLASS_TEST_SEED, to repeat a run.
func seed() int64 {
	if n, err := strconv.ParseInt(os.Getenv("AFFINITYCLASS_TEST_SEED"), 10, 64); err == nil {
		return n
	}
	return time.Now().Unix()
}

// services is how many Deployments share the nodes.
const services = 16

// tally counts what became of the Pods.
type tally struct{ drains, absorbed, moved, stuck, nowhere int }

// tame says that something never happened.
func (c *tally) tame() bool { return c.absorbed == 0 || c.moved == 0 || c.nowhere == 0 }

// Random drains are carried out as audited: the placeholder lands on a host that
// the audit named, or nowhere; a Pod that the audit gave no place stays Pending; and
// each that is bound is bound to a node of its accept set.
func TestRandomDrainsComeOutAsAudited(t *testing.T) {
	start := seed()
	t.Logf("AFFINITYCLASS_TEST_SEED=%d", start)
	d := &drawer{Rand: rand.New(rand.NewPCG(uint64(start), 0))}
	specs := d.nodes()
	addNodes(t, specs...)
	agent := daemonSet()
	create(t, agent)
	t.Cleanup(func() {
		if err := api.Delete(lasting(t), agent); err != nil {
			t.Error(err)
		}
	})
	var count tally
	for count.drains < size() || count.tame() && count.drains < 4*size() {
		fill(t, d)
		candidate := specs[d.IntN(len(specs))].Name
		mode := pick(d, surge.DrainSized, surge.WholeNode)
		q := look(t, candidate, mode)
		report := audit(t, q)
		if len(report.Leaving) == 0 {
			replace(t, d)
			continue
		}
		accepts, err := surge.Accepts(q)
		if err != nil {
			t.Fatal(err)
		}
		count.drains++
		cordon(t, candidate)
		count.reserved(t, report)
		count.carryOut(t, report, accepts)
		uncordon(t, candidate)
		replace(t, d)
	}
	t.Logf("%+v", count)
	if count.tame() {
		t.Errorf("%+v: the shapes are too tame", count)
	}
}

// fill draws Deployments until there are enough whose Pods all have a node.
func fill(t *testing.T, d *drawer) {
	t.Helper()
	for {
		settle(t)
		names := map[string]bool{}
		for _, pod := range ours(t) {
			if pod.Spec.NodeName == "" {
				remove(t, pod.Labels["app"])
				names = nil
				break
			}
			names[pod.Labels["app"]] = true
		}
		if names == nil {
			continue
		}
		if len(names) >= services {
			return
		}
		object := d.deployment()
		create(t, object)
		eventually(t, func() error {
			if found := len(pods(t, client.MatchingLabels{"app": object.Name})); found != int(*object.Spec.Replicas) {
				return fmt.Errorf("%d Pods of %s, want %d", found, object.Name, *object.Spec.Replicas)
			}
			return nil
		})
	}
}

// replace takes a Deployment away, so that the next drain is of another cluster.
func replace(t *testing.T, d *drawer) {
	t.Helper()
	settle(t)
	all := ours(t)
	remove(t, all[d.IntN(len(all))].Labels["app"])
}

// ours are the Pods of the random Deployments.
func ours(t *testing.T) []corev1.Pod {
	t.Helper()
	found := slices.DeleteFunc(pods(t), func(p corev1.Pod) bool { return p.Labels["kind"] == "" })
	slices.SortFunc(found, func(a, b corev1.Pod) int {
		return a.CreationTimestamp.Compare(b.CreationTimestamp.Time)
	})
	return found
}

// settle waits until the scheduler has decided on every Pod.
func settle(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		for _, pod := range pods(t) {
			if pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" && !unschedulable(&pod) {
				return fmt.Errorf("pod %s is not decided on: %v", pod.Name, pod.Status.Conditions)
			}
		}
		return nil
	})
}

// reserved lets the real scheduler place the placeholder.
func (c *tally) reserved(t *testing.T, r *surge.Report) {
	t.Helper()
	if r.Placeholder == nil {
		return
	}
	placeholder := reserve(t, r)
	eventually(t, func() error {
		if err := api.Get(t.Context(), client.ObjectKeyFromObject(placeholder), placeholder); err != nil {
			return err
		}
		if placeholder.Spec.NodeName == "" && !unschedulable(placeholder) {
			return fmt.Errorf("the placeholder is not decided on: %v", placeholder.Status.Conditions)
		}
		return nil
	})
	absorb, node := r.Size().Absorb, placeholder.Spec.NodeName
	if node != "" && !slices.Contains(absorb, node) || node == "" && len(absorb) > 0 {
		t.Errorf("the placeholder for %s is on %q, the audit named %v", r.Candidate, node, absorb)
	}
	if node != "" {
		c.absorbed++
	}
	release(t, placeholder)
}

// leavers are the Pods that leave, by who creates them again: the new ones have
// other names.
type leavers struct {
	stayed map[types.UID]bool     // Pods that are elsewhere
	pods   map[types.UID]int      // of each owner, with those that stay
	nodes  map[types.UID][]string // that an owner's new Pods may be bound to
}

// carryOut evicts the Pods that leave and holds what becomes of them to the audit.
func (c *tally) carryOut(t *testing.T, r *surge.Report, accepts map[types.NamespacedName][]string) {
	t.Helper()
	l := leavers{map[types.UID]bool{}, map[types.UID]int{}, map[types.UID][]string{}}
	for _, pod := range ours(t) {
		owner := metav1.GetControllerOf(&pod).UID
		l.pods[owner]++
		key := client.ObjectKeyFromObject(&pod)
		if !slices.Contains(r.Leaving, key) {
			l.stayed[pod.UID] = true
			continue
		}
		l.nodes[owner] = accepts[key]
		evict(t, &pod)
	}
	eventually(t, func() error { return l.recreated(t) })
	settle(t)
	time.Sleep(pause)
	for _, pod := range ours(t) {
		if !l.stayed[pod.UID] {
			c.judge(t, r, &pod, l.nodes[metav1.GetControllerOf(&pod).UID])
		}
	}
}

// pause is how long the scheduler has to change its mind about a Pod.
const pause = 100 * time.Millisecond

// recreated says whether every owner has as many Pods as before.
func (l *leavers) recreated(t *testing.T) error {
	now := map[types.UID]int{}
	for _, pod := range ours(t) {
		if pod.DeletionTimestamp == nil {
			now[metav1.GetControllerOf(&pod).UID]++
		}
	}
	for owner, want := range l.pods {
		if now[owner] != want {
			return fmt.Errorf("%d Pods of an owner, want %d", now[owner], want)
		}
	}
	return nil
}

// judge holds a Pod that was created again to its accept set.
func (c *tally) judge(t *testing.T, r *surge.Report, pod *corev1.Pod, nodes []string) {
	t.Helper()
	switch on := pod.Spec.NodeName; {
	case on != "":
		c.moved++
		if !slices.Contains(nodes, on) {
			t.Errorf("%s left %s for %s, and might go to %v by the audit", pod.Name, r.Candidate, on, nodes)
		}
	case len(nodes) == 0:
		c.nowhere++
	default:
		c.stuck++
	}
}
