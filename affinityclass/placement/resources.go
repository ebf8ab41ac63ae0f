package placement

import (
	"cmp"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// The first resources have fixed numbers; others are numbered as they come.
const (
	cpu = iota
	memory
	ephemeral
	fixedResources
)

// resourceNames numbers the resources of a snapshot. A number is given away again
// when nobody holds it, since whoever makes Pods can make up names.
type resourceNames struct {
	numbers map[string]int
	names   []string // empty where free
	holders []int
	free    []int
}

func newResourceNames() resourceNames {
	r := resourceNames{numbers: map[string]int{}}
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage} {
		r.hold(string(name))
	}
	return r
}

// hold is the number of a name, held once more.
func (r *resourceNames) hold(name string) int {
	at, ok := r.numbers[name]
	if !ok {
		at = r.unused()
		r.numbers[name], r.names[at] = at, name
	}
	r.holders[at]++
	return at
}

func (r *resourceNames) unused() int {
	if last := len(r.free) - 1; last >= 0 {
		at := r.free[last]
		r.free = r.free[:last]
		return at
	}
	r.names, r.holders = append(r.names, ""), append(r.holders, 0)
	return len(r.names) - 1
}

// drop gives back what was held. Whatever was counted under the number is zero
// again by then.
func (r *resourceNames) drop(at int) {
	if r.holders[at]--; r.holders[at] > 0 {
		return
	}
	delete(r.numbers, r.names[at])
	r.names[at] = ""
	r.free = append(r.free, at)
}

// amounts are quantities by resource number. Those that every node has are in
// place, so that reading them touches no other memory.
type amounts struct {
	fixed [fixedResources]int64
	more  *[]int64 // nil while there are none
}

func (a *amounts) of(number int) int64 {
	if number < fixedResources {
		return a.fixed[number]
	}
	if number -= fixedResources; a.more != nil && number < len(*a.more) {
		return (*a.more)[number]
	}
	return 0
}

// numbers is one more than the greatest number that may have an amount.
func (a *amounts) numbers() int {
	if a.more == nil {
		return fixedResources
	}
	return fixedResources + len(*a.more)
}

func (a *amounts) add(number int, amount int64) {
	if number < fixedResources {
		a.fixed[number] += amount
		return
	}
	number -= fixedResources
	if a.more == nil {
		a.more = new([]int64)
	}
	for number >= len(*a.more) {
		*a.more = append(*a.more, 0)
	}
	(*a.more)[number] += amount
}

// need is what a request asks of one resource, by name.
type need struct {
	name   string
	amount int64
}

// podNeeds is what a Pod asks as Kubernetes counts it: init and sidecar
// containers, overhead and Pod-level requests; first cpu, memory and
// ephemeral-storage, then the rest by name. Of a placed Pod the status counts too,
// which says what a resize has not given back yet.
func podNeeds(pod *v1.Pod, options resource.PodResourcesOptions) []need {
	var needs []need
	for name, quantity := range resource.PodRequests(pod, options) {
		if !counted(name) {
			continue
		}
		amount := quantity.Value()
		if name == v1.ResourceCPU {
			amount = quantity.MilliValue()
		}
		if amount != 0 {
			needs = append(needs, need{string(name), amount})
		}
	}
	slices.SortFunc(needs, func(a, b need) int {
		return cmp.Or(cmp.Compare(rank(a.name), rank(b.name)), cmp.Compare(a.name, b.name))
	})
	return needs
}

func requested() resource.PodResourcesOptions { return resource.PodResourcesOptions{} }

func inUse() resource.PodResourcesOptions {
	return resource.PodResourcesOptions{
		UseStatusResources: true,
		InPlacePodLevelResourcesVerticalScalingEnabled: true,
	}
}

func rank(name string) int {
	switch v1.ResourceName(name) {
	case v1.ResourceCPU:
		return cpu
	case v1.ResourceMemory:
		return memory
	case v1.ResourceEphemeralStorage:
		return ephemeral
	default:
		return fixedResources
	}
}

// counted says whether kube-scheduler counts a resource on nodes: cpu, memory,
// ephemeral-storage, huge pages, attachable volumes and whatever has a domain.
// Other bare names (storage, say) are nobody's.
func counted(name v1.ResourceName) bool {
	if rank(string(name)) < fixedResources {
		return true
	}
	text := string(name)
	return (strings.Contains(text, "/") && !strings.HasPrefix(text, v1.DefaultResourceRequestsPrefix)) ||
		strings.HasPrefix(text, v1.ResourceHugePagesPrefix) ||
		strings.HasPrefix(text, v1.ResourceAttachableVolumesPrefix)
}
