package placement

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// quota is a namespace's hard limits and what is used of them.
type quota struct {
	key    types.NamespacedName
	hard   []need // by name
	used   map[string]int64
	scopes []v1.ScopedResourceSelectorRequirement
}

// MachineQuota limits the Machines of a namespace. Hard may name machines (how
// many), cpu and memory; what is used is what the placed Machines use.
type MachineQuota struct {
	Namespace, Name string
	Hard            v1.ResourceList
}

// SetQuota records a ResourceQuota with its usage.
func (s *Snapshot) SetQuota(object *v1.ResourceQuota) {
	s.generation++
	hard := object.Status.Hard
	if len(hard) == 0 {
		hard = object.Spec.Hard
	}
	q := &quota{key: types.NamespacedName{Namespace: object.Namespace, Name: object.Name}, hard: limitsOf(hard)}
	q.used = map[string]int64{}
	for _, n := range limitsOf(object.Status.Used) {
		q.used[n.name] = n.amount
	}
	for _, scope := range object.Spec.Scopes {
		q.scopes = append(q.scopes, v1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: v1.ScopeSelectorOpExists})
	}
	if object.Spec.ScopeSelector != nil {
		q.scopes = append(q.scopes, object.Spec.ScopeSelector.DeepCopy().MatchExpressions...)
	}
	s.quotas[q.key] = q
}

// RemoveQuota forgets a ResourceQuota.
func (s *Snapshot) RemoveQuota(key types.NamespacedName) {
	s.generation++
	delete(s.quotas, key)
}

// SetMachineQuota records a quota for Machines.
func (s *Snapshot) SetMachineQuota(object MachineQuota) {
	s.generation++
	q := &quota{key: types.NamespacedName{Namespace: object.Namespace, Name: object.Name}, hard: limitsOf(object.Hard)}
	s.machineQuotas[q.key] = q
}

// RemoveMachineQuota forgets a quota for Machines.
func (s *Snapshot) RemoveMachineQuota(key types.NamespacedName) {
	s.generation++
	delete(s.machineQuotas, key)
}

func limitsOf(list v1.ResourceList) []need {
	var limits []need
	for name, quantity := range list {
		amount := quantity.Value()
		switch name {
		case v1.ResourceCPU, v1.ResourceRequestsCPU, v1.ResourceLimitsCPU:
			amount = quantity.MilliValue()
		}
		limits = append(limits, need{string(name), amount})
	}
	slices.SortFunc(limits, func(a, b need) int { return cmp.Compare(a.name, b.name) })
	return limits
}

// takes is what a request takes of each name that a quota may limit.
func (r *Request) takes() map[string]int64 {
	if r.kind == machine {
		all := map[string]int64{"machines": 1}
		for _, n := range r.needs {
			all[n.name] = n.amount
		}
		return all
	}
	all := map[string]int64{"pods": 1, "count/pods": 1}
	for _, n := range r.needs {
		all["requests."+n.name] = n.amount
		if rank(n.name) < fixedResources || strings.HasPrefix(n.name, v1.ResourceHugePagesPrefix) {
			all[n.name] = n.amount
		}
	}
	for _, n := range r.limits {
		all["limits."+n.name] = n.amount
	}
	return all
}

// governs says whether a quota's scopes are met by the request.
func (q *quota) governs(r *Request) bool {
	for _, scope := range q.scopes {
		if !inScope(&scope, r) {
			return false
		}
	}
	return true
}

func inScope(scope *v1.ScopedResourceSelectorRequirement, r *Request) bool {
	terminating := r.pod.Spec.ActiveDeadlineSeconds != nil
	bestEffort := !slices.ContainsFunc(slices.Concat(r.needs, r.limits), guarantees)
	switch scope.ScopeName {
	case v1.ResourceQuotaScopeTerminating:
		return terminating
	case v1.ResourceQuotaScopeNotTerminating:
		return !terminating
	case v1.ResourceQuotaScopeBestEffort:
		return bestEffort
	case v1.ResourceQuotaScopeNotBestEffort:
		return !bestEffort
	case v1.ResourceQuotaScopeCrossNamespacePodAffinity:
		return crossesNamespaces(r.pod.Spec.Affinity)
	case v1.ResourceQuotaScopePriorityClass:
		return inClass(scope, r.pod.Spec.PriorityClassName)
	default:
		return false
	}
}

// guarantees says whether a request or limit takes a Pod out of the class
// BestEffort: of cpu or memory, and of nothing else.
// Source: ComputePodQOS of k8s.io/kubernetes/pkg/apis/core/v1/helper/qos.
func guarantees(n need) bool { return rank(n.name) <= memory && n.amount > 0 }

// crossesNamespaces says whether any Pod term names a namespace or selects some.
func crossesNamespaces(a *v1.Affinity) bool {
	var terms []v1.PodAffinityTerm
	var soft []v1.WeightedPodAffinityTerm
	if a != nil && a.PodAffinity != nil {
		terms = append(terms, a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		soft = append(soft, a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if a != nil && a.PodAntiAffinity != nil {
		terms = append(terms, a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
		soft = append(soft, a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for i := range soft {
		terms = append(terms, soft[i].PodAffinityTerm)
	}
	return slices.ContainsFunc(terms, func(t v1.PodAffinityTerm) bool {
		return len(t.Namespaces) > 0 || t.NamespaceSelector != nil
	})
}

func inClass(scope *v1.ScopedResourceSelectorRequirement, class string) bool {
	switch scope.Operator {
	case v1.ScopeSelectorOpIn:
		return slices.Contains(scope.Values, class)
	case v1.ScopeSelectorOpNotIn:
		return !slices.Contains(scope.Values, class)
	case v1.ScopeSelectorOpDoesNotExist:
		return class == ""
	default:
		return class != ""
	}
}
