package surge

import (
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// resources are requests; what may not be overcommitted has a limit as well.
func resources(requests placement.Amounts) v1.ResourceRequirements {
	all := v1.ResourceRequirements{Requests: requests.List()}
	if hugeAlone(requests) {
		all.Requests[v1.ResourceCPU] = resource.MustParse("0")
	}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if strings.Contains(string(name), "/") || strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix) {
			if all.Limits == nil {
				all.Limits = v1.ResourceList{}
			}
			all.Limits[name] = all.Requests[name]
		}
	}
	return all
}

// hugeAlone says whether huge pages are asked without cpu and memory, which the API
// refuses; that nothing of cpu is asked has to be said then.
// Source: validateResourceRequirements of k8s.io/kubernetes/pkg/apis/core/validation.
func hugeAlone(requests placement.Amounts) bool {
	huge := false
	for name := range requests {
		if name == v1.ResourceCPU || name == v1.ResourceMemory {
			return false
		}
		huge = huge || strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix)
	}
	return huge
}
