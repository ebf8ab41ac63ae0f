package placement

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Amounts are quantities as kube-scheduler counts them on nodes: each in the
// resource's own unit, cpu in thousandths. Resources that it does not count are
// never among them, nor is the number of Pods.
type Amounts map[v1.ResourceName]int64

// Requests is what a Pod will ask when it is created again: init and sidecar
// containers, overhead and Pod-level requests. Zero requests are left out.
// Source: PodRequests of k8s.io/component-helpers/resource.
func Requests(pod *v1.Pod) Amounts { return amountsOf(podNeeds(pod, requested())) }

// InUse is what a Pod that has a node takes of it, a resize under way included.
func InUse(pod *v1.Pod) Amounts { return amountsOf(podNeeds(pod, inUse())) }

func amountsOf(needs []need) Amounts {
	all := make(Amounts, len(needs))
	for _, n := range needs {
		all[v1.ResourceName(n.name)] = n.amount
	}
	return all
}

// Allocatable is what a node has for Pods.
func Allocatable(node *v1.Node) Amounts { return Counted(node.Status.Allocatable) }

// Counted are the resources of a list that kube-scheduler counts.
func Counted(list v1.ResourceList) Amounts {
	all := make(Amounts, len(list))
	for name, quantity := range list {
		if !counted(name) {
			continue
		}
		all[name] = quantity.Value()
		if name == v1.ResourceCPU {
			all[name] = quantity.MilliValue()
		}
	}
	return all
}

// List is the amounts as quantities in canonical form.
func (a Amounts) List() v1.ResourceList {
	list := make(v1.ResourceList, len(a))
	for name, amount := range a {
		list[name] = Quantity(name, amount)
	}
	return list
}

// Quantity is an amount in the form Kubernetes writes it: cpu in cores or
// thousandths, bytes in powers of two where they are round.
func Quantity(name v1.ResourceName, amount int64) resource.Quantity {
	parsed, err := resource.ParseQuantity(quantity(string(name), amount))
	if err != nil { // which what is formatted here never is
		return *resource.NewQuantity(amount, resource.DecimalSI)
	}
	return parsed
}
