package inventory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

func TestTheSnapshotFollowsEvents(t *testing.T) {
	tests := []struct {
		name   string
		reason string
		extent Extent
		events func(f fixture) []error
		want   string
	}{
		{"a Pod without tags is not kept for tags alone", "it costs nothing", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("plain", "n1")), f.pods.Add(pod("web", "n1", "web"))}
		}, "n1:1 n2:0 "},
		{"a Pod without tags is kept for previews", "it takes room", Previews, func(f fixture) []error {
			return []error{f.pods.Add(pod("plain", "n1")), f.pods.Add(pod("web", "n1", "web"))}
		}, "n1:2 n2:0 "},
		{"a Pod that loses its last tag goes", "it is nobody's neighbour any more", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("web", "n1", "web")), f.pods.Update(pod("web", "n1"))}
		}, "n1:0 n2:0 "},
		{"a Pod that finishes goes", "it holds no place", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("web", "n1", "web")), f.pods.Update(in(corev1.PodSucceeded, pod("web", "n1", "web")))}
		}, "n1:0 n2:0 "},
		{"a Pod that waits is not kept", "it has no node", Previews, func(f fixture) []error {
			return []error{f.pods.Add(pod("web", "", "web"))}
		}, "n1:0 n2:0 "},
		{"a name used again stands for the later Pod", "a StatefulSet's Pod comes back elsewhere", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("db-0", "n1", "db")), f.pods.Add(again(pod("db-0", "n2", "db"), "later"))}
		}, "n1:0 n2:1 "},
		{"a deletion told late leaves the successor", "the uid is another's", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(again(pod("db-0", "n2", "db"), "later")), f.pods.Delete(pod("db-0", "n1", "db"))}
		}, "n1:0 n2:1 "},
		{"a deletion of which only the key was seen", "the watch was away", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("db-0", "n1", "db")),
				f.pods.Delete(cache.DeletedFinalStateUnknown{Key: "shop/db-0", Obj: pod("db-0", "n1", "db")})}
		}, "n1:0 n2:0 "},
		{"a list without a Pod drops it", "its deletion was missed", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("a", "n1", "web")), f.pods.Add(pod("b", "n1", "web")), f.pods.Replace(anyOf(pod("b", "n1", "web")), "7")}
		}, "n1:1 n2:0 "},
		{"a list in which a Pod has lost its tags drops it", "the change was missed", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("a", "n1", "web")), f.pods.Replace(anyOf(pod("a", "n1")), "7")}
		}, "n1:0 n2:0 "},
		{"a list in which a Pod stands twice", "a page may repeat what moved", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Replace(anyOf(pod("a", "n1", "web"), pod("a", "n1", "web")), "7")}
		}, "n1:1 n2:0 "},
		{"a node that is deleted takes nobody in", "it is no candidate", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("a", "n1", "web")), f.nodes.Delete(node("n1"))}
		}, "n2:0 "},
		{"a node that comes back still has its Pods", "they were not evicted yet", TagsOnly, func(f fixture) []error {
			return []error{f.pods.Add(pod("a", "n1", "web")), f.nodes.Delete(node("n1")), f.nodes.Add(node("n1"))}
		}, "n1:1 n2:0 "},
		{"a node that a list has not is gone", "its deletion was missed", TagsOnly, func(f fixture) []error {
			return []error{f.nodes.Replace(anyOf(node("n2")), "7")}
		}, "n2:0 "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := feedByHand(tt.extent)
			if err := f.nodes.Replace(anyOf(node("n1"), node("n2")), "1"); err != nil {
				t.Fatal(err)
			}
			for _, err := range tt.events(f) {
				if err != nil {
					t.Error(err)
				}
			}
			if got := f.loads(t); got != tt.want {
				t.Errorf("%s: Pods by node %q, want %q", tt.reason, got, tt.want)
			}
		})
	}
}

// What changes of an object and is not read changes nothing, and holds no reader up.
func TestAChangeThatNobodyReadsIsNotWritten(t *testing.T) {
	tests := []struct {
		name   string
		extent Extent
		change func(*corev1.Pod, *corev1.Node)
		writes uint64 // at least
	}{
		{"a new version alone", Previews, func(p *corev1.Pod, n *corev1.Node) {}, 0},
		{"a Pod is ready, and a node says again that it is", Previews, func(p *corev1.Pod, n *corev1.Node) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			n.Status.Conditions[0].LastHeartbeatTime = metav1.Now()
		}, 0},
		{"a Pod's resources, for tags alone", TagsOnly, func(p *corev1.Pod, _ *corev1.Node) { p.Spec.Containers[0].Resources.Requests = cpu("1") }, 0},
		{"a Pod's resources, for previews", Previews, func(p *corev1.Pod, _ *corev1.Node) { p.Spec.Containers[0].Resources.Requests = cpu("1") }, 1},
		{"a Pod's resize waits", Previews, func(p *corev1.Pod, _ *corev1.Node) {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: corev1.PodReasonInfeasible}}
		}, 1},
		{"a Pod bears another tag", TagsOnly, func(p *corev1.Pod, _ *corev1.Node) { p.Labels[binaryaffinity.TagPrefix+"db"] = "" }, 1},
		{"a Pod of its name", TagsOnly, func(p *corev1.Pod, _ *corev1.Node) { p.UID = "later" }, 1},
		{"a node is not ready", TagsOnly, func(_ *corev1.Pod, n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse }, 1},
		{"a node is tainted", TagsOnly, func(_ *corev1.Pod, n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "gpu"}} }, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := feedByHand(tt.extent)
			tell := func(change func(*corev1.Pod, *corev1.Node), version string) {
				p, n := pod("web", "n1", "web"), node("n1")
				n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
				change(p, n)
				p.ResourceVersion, n.ResourceVersion = version, version
				if err := errors.Join(f.pods.Update(p), f.nodes.Update(n)); err != nil {
					t.Fatal(err)
				}
			}
			tell(func(*corev1.Pod, *corev1.Node) {}, "1")
			before := f.snapshot.Generation()
			tell(tt.change, "2")
			if got := f.snapshot.Generation() - before; got < tt.writes || tt.writes == 0 && got > 0 {
				t.Errorf("it is written %d times", got)
			}
		})
	}
}

// A Pod without tags costs nothing: neither a place nor the memory of its name.
func TestTenThousandPodsWithoutTagsAreNotKept(t *testing.T) {
	f := feedByHand(TagsOnly)
	for i := range 10_000 {
		if err := f.pods.Add(pod(fmt.Sprintf("plain-%d", i), "n1")); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.pods.Add(pod("web", "n1", "web")); err != nil {
		t.Fatal(err)
	}
	if len(f.pods.known) != 1 || f.snapshot.Pods() != 1 {
		t.Errorf("%d names and %d Pods are kept, want those of the one that bears a tag", len(f.pods.known), f.snapshot.Pods())
	}
}

func TestAnObjectOfAnotherKindIsAnError(t *testing.T) {
	f := feedByHand(TagsOnly)
	for _, err := range []error{f.pods.Add(node("n1")), f.pods.Delete(node("n1")), f.pods.Replace(anyOf(node("n1")), "1")} {
		if err == nil || !strings.Contains(err.Error(), "*v1.Node among objects of type *v1.Pod") {
			t.Errorf("got %v, want an error that names both kinds", err)
		}
	}
	if f.pods.hasSynced() {
		t.Error("a list that could not be read is no complete fill")
	}
}

// world is what a watch of Pods tells of, some of it missed.
type world map[string]*corev1.Pod

func (w world) list() []any {
	var all []any
	for _, p := range w {
		all = append(all, p.DeepCopy())
	}
	return all
}

// Whatever was missed, after a list the snapshot is that of the list alone.
func TestAfterAListNothingOfWhatWasMissedIsLeft(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, extent := range []Extent{TagsOnly, Previews} {
		f, there := feedByHand(extent), world{}
		if err := f.nodes.Replace(anyOf(node("n0"), node("n1"), node("n2")), "1"); err != nil {
			t.Fatal(err)
		}
		for range 3000 {
			step(t, random, f, there)
			if random.IntN(100) > 0 {
				continue
			}
			fresh := feedByHand(extent)
			if err := fresh.nodes.Replace(anyOf(node("n0"), node("n1"), node("n2")), "1"); err != nil {
				t.Fatal(err)
			}
			for _, f := range []fixture{f, fresh} {
				if err := f.pods.Replace(there.list(), "7"); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := f.loads(t), fresh.loads(t); got != want {
				t.Fatalf("%s: Pods by node %q, want %q as listed", extent, got, want)
			}
		}
	}
}

// step changes the world, and tells of it three times in four.
func step(t *testing.T, random *rand.Rand, f fixture, there world) {
	t.Helper()
	name := fmt.Sprintf("p%d", random.IntN(30))
	told := random.IntN(4) > 0
	var err error
	if before, ok := there[name]; ok && random.IntN(2) == 0 {
		delete(there, name)
		if told {
			err = f.pods.Delete(before.DeepCopy())
		}
	} else {
		tags := [][]string{nil, {"web"}, {"web", "db"}}[random.IntN(3)]
		p := pod(name, []string{"", "n0", "n1", "n2"}[random.IntN(4)], tags...)
		p = again(in([]corev1.PodPhase{corev1.PodRunning, corev1.PodFailed}[random.IntN(2)], p), p.UID)
		there[name] = p
		if told {
			err = f.pods.Update(p.DeepCopy())
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}
