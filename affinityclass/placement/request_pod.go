package placement

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/resource"
)

// podLimits is what a Pod may use at most, for quotas.
func podLimits(object *v1.Pod) []need {
	var limits []need
	for name, quantity := range resource.PodLimits(object, requested()) {
		amount := quantity.Value()
		if name == v1.ResourceCPU {
			amount = quantity.MilliValue()
		}
		limits = append(limits, need{string(name), amount})
	}
	return limits
}

// podClaims are the ResourceClaims that a Pod names, or that were made for it.
func podClaims(object *v1.Pod) []types.NamespacedName {
	made := map[string]string{}
	for _, status := range object.Status.ResourceClaimStatuses {
		if status.ResourceClaimName != nil {
			made[status.Name] = *status.ResourceClaimName
		}
	}
	var claims []types.NamespacedName
	for _, claim := range object.Spec.ResourceClaims {
		name := made[claim.Name]
		if claim.ResourceClaimName != nil {
			name = *claim.ResourceClaimName
		}
		if name != "" {
			claims = append(claims, types.NamespacedName{Namespace: object.Namespace, Name: name})
		}
	}
	return claims
}

// unmodelled names what the Pod uses and no stage judges.
func unmodelled(object *v1.Pod) []string {
	spec := &object.Spec
	uses := map[string]bool{
		allocation:                        len(spec.ResourceClaims) > 0 || slices.ContainsFunc(podNeeds(object, requested()), byClass),
		"volume binding":                  slices.ContainsFunc(spec.Volumes, bound),
		"scheduling gates":                len(spec.SchedulingGates) > 0,
		"preemption":                      spec.PriorityClassName != "" || spec.Priority != nil && *spec.Priority > 0,
		"scheduler " + spec.SchedulerName: spec.SchedulerName != "" && spec.SchedulerName != v1.DefaultSchedulerName,
		"overhead of runtime class":       spec.RuntimeClassName != nil && spec.Overhead == nil,
		"eviction by NoExecute":           slices.ContainsFunc(spec.Tolerations, expires),
	}
	var names []string
	for name, used := range uses {
		if used {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// unmodelled names what the request uses and no stage judges in this snapshot: an
// extended resource that no node has may be a device's.
func (r *run) unmodelled() []string {
	names := r.request.unmodelled
	if slices.Contains(names, allocation) || r.request.kind == machine {
		return names
	}
	for _, n := range r.request.needs {
		if number, known := r.names.numbers[n.name]; strings.Contains(n.name, "/") && (!known || !r.anyHas(number)) {
			names = append(slices.Clone(names), allocation)
			slices.Sort(names)
			return names
		}
	}
	return names
}

func (r *run) anyHas(number int) bool {
	return slices.ContainsFunc(r.order, func(n *node) bool { return n.allocatable.of(number) > 0 })
}

// allocation of devices to claims is kube-scheduler's own.
const allocation = "DRA allocation"

// byClass says whether a resource stands for a claim on a device class.
func byClass(n need) bool {
	return strings.HasPrefix(n.name, resourcev1.ResourceDeviceClassPrefix)
}

func bound(volume v1.Volume) bool {
	return volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil || volume.CSI != nil ||
		volume.GCEPersistentDisk != nil || volume.AWSElasticBlockStore != nil || volume.ISCSI != nil || volume.RBD != nil ||
		volume.AzureDisk != nil || volume.Cinder != nil
}

// expires says whether a toleration ends some time after the taint came. The
// API server gives every Pod two such, which say nothing about the Pod.
func expires(t v1.Toleration) bool {
	defaulted := t.Key == v1.TaintNodeNotReady || t.Key == v1.TaintNodeUnreachable
	return t.TolerationSeconds != nil && !defaulted
}

// nodeAffinityText writes required node affinity down for people.
func nodeAffinityText(a *v1.Affinity) string {
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	var terms []string
	for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		var parts []string
		for _, r := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			parts = append(parts, strings.TrimSpace(r.Key+" "+string(r.Operator)+" "+strings.Join(r.Values, ",")))
		}
		terms = append(terms, strings.Join(parts, " and "))
	}
	if text := strings.Join(terms, ", or "); text != "" {
		return text
	}
	return "without terms" // which no node meets
}
