package surge

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Why a PodDisruptionBudget holds up a drain.
const (
	// TooFew is a budget that allows fewer evictions than Pods of its would leave.
	TooFew = "it allows fewer evictions than the drain takes"
	// Stale is a budget whose status is of an older specification: evictions are
	// refused until its controller has seen the new one.
	Stale = "its status is older than its specification, and until that is mended it allows none"
	// Shared is a Pod of two budgets or more, whose eviction always fails.
	Shared = "another budget speaks of the same Pods, and the eviction of a Pod of two always fails"
)

// Hold is a PodDisruptionBudget that would hold up the drain.
type Hold struct {
	Budget  types.NamespacedName
	Pods    []types.NamespacedName // that leave and that it holds, sorted
	Allowed int32                  // evictions, as its status has it; at 0 the drain cannot go on
	Why     string                 // TooFew, Stale or Shared
}

// holds lists what holds up the drain, by budget. A budget whose selector cannot be
// read is taken to speak of every Pod of its namespace, as far as can be told.
// Source: the eviction of k8s.io/kubernetes/pkg/registry/core/pod/storage.
func (a *audit) holds() []Hold {
	governed := map[types.NamespacedName][]*v1.Pod{}
	budgets := map[*v1.Pod]int{} // how many speak of a Pod
	for key, budget := range a.Survey.budgets {
		governed[key] = a.governed(budget)
		for _, pod := range governed[key] {
			budgets[pod]++
		}
	}
	var holds []Hold
	for _, key := range sortKeys(slices.Collect(maps.Keys(governed))) {
		budget := a.Survey.budgets[key]
		var shared, counted []types.NamespacedName
		for _, pod := range governed[key] {
			switch {
			case budgets[pod] > 1:
				shared = append(shared, keyOf(pod))
			case !spares(budget, pod):
				counted = append(counted, keyOf(pod))
			}
		}
		if len(shared) > 0 {
			holds = append(holds, Hold{key, shared, budget.Status.DisruptionsAllowed, Shared})
		}
		if why := short(budget, len(counted)); why != "" {
			holds = append(holds, Hold{key, counted, budget.Status.DisruptionsAllowed, why})
		}
	}
	return holds
}

// short is why so many evictions are more than a budget allows; empty when they are
// not.
func short(budget *policyv1.PodDisruptionBudget, evictions int) string {
	switch {
	case evictions > 0 && budget.Status.ObservedGeneration < budget.Generation:
		return Stale
	case evictions > int(budget.Status.DisruptionsAllowed):
		return TooFew
	default:
		return ""
	}
}

// governed are the Pods that leave, that an eviction asks the budget about, and that
// it speaks of.
func (a *audit) governed(budget *policyv1.PodDisruptionBudget) []*v1.Pod {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	var pods []*v1.Pod
	for _, pod := range a.leaving {
		if pod.Namespace == budget.Namespace && evictionAsks(pod) && (err != nil || selector.Matches(labels.Set(pod.Labels))) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// evictionAsks says whether the eviction of a Pod asks a budget at all: that of one
// that is pending, finished or being deleted does not.
func evictionAsks(pod *v1.Pod) bool {
	return pod.DeletionTimestamp == nil && pod.Status.Phase != v1.PodPending && !finished(pod)
}

// spares says whether a Pod's eviction takes nothing of the budget: that of one that
// is not Ready, where the policy for unhealthy Pods lets it go.
func spares(budget *policyv1.PodDisruptionBudget, pod *v1.Pod) bool {
	if ready(pod) {
		return false
	}
	if policy := budget.Spec.UnhealthyPodEvictionPolicy; policy != nil && *policy == policyv1.AlwaysAllow {
		return true
	}
	return budget.Status.CurrentHealthy >= budget.Status.DesiredHealthy && budget.Status.DesiredHealthy > 0
}

func ready(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.PodReady && c.Status == v1.ConditionTrue
	})
}

// Pinned is a volume that may tie a Pod to some nodes. Which they are is not
// modelled.
type Pinned struct {
	Pod    types.NamespacedName
	Volume string
	Claim  string // the PersistentVolumeClaim, where there is one
}

// Unmodelled is what a Pod uses and no stage judges.
type Unmodelled struct {
	Pod  types.NamespacedName
	What []string // sorted
}

// unmodelled lists what the audit does not know of the Pods that leave.
func (a *audit) unmodelled() {
	for i, pod := range a.leaving {
		key := keyOf(pod)
		for _, volume := range pod.Spec.Volumes {
			if claim, pins := pinning(pod, &volume); pins {
				a.report.Pinned = append(a.report.Pinned, Pinned{key, volume.Name, claim})
			}
		}
		if what := a.report.Elsewhere[i].Preview.Unmodelled; len(what) > 0 {
			a.report.Unmodelled = append(a.report.Unmodelled, Unmodelled{key, what})
		}
		if pod.DeletionTimestamp != nil {
			a.report.Terminating = append(a.report.Terminating, key)
		}
		if metav1.GetControllerOf(pod) == nil {
			a.report.Unmanaged = append(a.report.Unmanaged, key)
		}
	}
}

// pinning says whether a volume may be reachable from some nodes only.
func pinning(pod *v1.Pod, volume *v1.Volume) (claim string, pins bool) {
	switch source := &volume.VolumeSource; {
	case source.PersistentVolumeClaim != nil:
		return source.PersistentVolumeClaim.ClaimName, true
	case source.Ephemeral != nil:
		return pod.Name + "-" + volume.Name, true
	default:
		return "", source.GCEPersistentDisk != nil || source.AWSElasticBlockStore != nil || source.ISCSI != nil || source.RBD != nil
	}
}
