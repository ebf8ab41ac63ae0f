package surge

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Candidate is a node that is to be drained, with the Pods bound to it.
type Candidate struct {
	Node *v1.Node
	Pods []*v1.Pod
}

// Reschedulable are the Pods that have to land elsewhere, by namespace and name:
// those that no DaemonSet owns, that are no mirrors of static Pods, and that are
// not finished.
func (c *Candidate) Reschedulable() []*v1.Pod {
	var leaving []*v1.Pod
	for _, pod := range c.Pods {
		if !finished(pod) && !daemon(pod) && !mirror(pod) {
			leaving = append(leaving, pod)
		}
	}
	slices.SortFunc(leaving, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return leaving
}

// drain is the sum of what the reschedulable Pods request.
func (c *Candidate) drain() placement.Amounts {
	sum := placement.Amounts{}
	for _, pod := range c.Reschedulable() {
		add(sum, placement.Requests(pod))
	}
	return sum
}

// limit is the node's allocatable resources less what its DaemonSet Pods request.
// Mirror Pods neither move nor count.
func (c *Candidate) limit() placement.Amounts {
	left := placement.Allocatable(c.Node)
	for name, amount := range overhead(c.Pods) {
		left[name] -= amount
	}
	return left
}

// overhead is what the DaemonSet Pods among some take.
func overhead(pods []*v1.Pod) placement.Amounts {
	sum := placement.Amounts{}
	for _, pod := range pods {
		if daemon(pod) && !finished(pod) {
			add(sum, placement.InUse(pod))
		}
	}
	return sum
}

func add(sum, more placement.Amounts) {
	for name, amount := range more {
		sum[name] += amount
	}
}

func finished(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// daemon says whether a DaemonSet made the Pod; a kind of that name in another group
// makes no Pod for every node.
func daemon(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet" && strings.HasPrefix(owner.APIVersion, "apps/")
}

func mirror(pod *v1.Pod) bool {
	_, ok := pod.Annotations[v1.MirrorPodAnnotationKey]
	return ok
}
