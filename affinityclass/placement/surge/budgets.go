package surge

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Hold is a PodDisruptionBudget that would hold up the drain: it allows fewer
// evictions than Pods of its would leave.
type Hold struct {
	Budget  types.NamespacedName
	Pods    []types.NamespacedName // that leave and that it speaks of, sorted
	Allowed int32                  // evictions, as its status has it; at 0 the drain cannot go on
}

// holds lists the budgets that allow less than the drain takes. A budget whose
// selector cannot be read is taken to speak of every Pod of its namespace, as far
// as can be told.
func (a *audit) holds() []Hold {
	var holds []Hold
	for _, budget := range a.Survey.budgets {
		pods := a.governed(budget)
		if len(pods) > int(budget.Status.DisruptionsAllowed) {
			key := types.NamespacedName{Namespace: budget.Namespace, Name: budget.Name}
			holds = append(holds, Hold{key, pods, budget.Status.DisruptionsAllowed})
		}
	}
	slices.SortFunc(holds, func(a, b Hold) int {
		return cmp.Or(cmp.Compare(a.Budget.Namespace, b.Budget.Namespace), cmp.Compare(a.Budget.Name, b.Budget.Name))
	})
	return holds
}

func (a *audit) governed(budget *policyv1.PodDisruptionBudget) []types.NamespacedName {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	var pods []types.NamespacedName
	for _, pod := range a.leaving {
		if pod.Namespace == budget.Namespace && (err != nil || selector.Matches(labels.Set(pod.Labels))) {
			pods = append(pods, keyOf(pod))
		}
	}
	return pods
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
