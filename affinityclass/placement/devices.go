package placement

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// pool names a device pool.
type pool struct{ driver, name string }

// sliceOf is what a ResourceSlice says about its pool.
type sliceOf struct {
	pool pool
	node string // empty when no single node owns the pool
}

// SetResourceClaim records the devices already allocated to a claim.
func (s *Snapshot) SetResourceClaim(claim *resourcev1.ResourceClaim) {
	s.generation++
	key := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
	delete(s.claims, key)
	if claim.Status.Allocation == nil {
		return // an unallocated claim hints at nothing
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		s.claims[key] = append(s.claims[key], pool{result.Driver, result.Pool})
	}
}

// RemoveResourceClaim forgets a claim.
func (s *Snapshot) RemoveResourceClaim(key types.NamespacedName) {
	s.generation++
	delete(s.claims, key)
}

// SetResourceSlice records which node owns a device pool.
func (s *Snapshot) SetResourceSlice(slice *resourcev1.ResourceSlice) {
	s.RemoveResourceSlice(slice.Name)
	of := sliceOf{pool: pool{slice.Spec.Driver, slice.Spec.Pool.Name}}
	if slice.Spec.NodeName != nil {
		of.node = *slice.Spec.NodeName
	}
	s.slices[slice.Name] = of
	if s.owners[of.pool] == nil {
		s.owners[of.pool] = map[string]int{}
	}
	s.owners[of.pool][of.node]++
}

// RemoveResourceSlice forgets a slice.
func (s *Snapshot) RemoveResourceSlice(name string) {
	s.generation++
	of, ok := s.slices[name]
	if !ok {
		return
	}
	delete(s.slices, name)
	nodes := s.owners[of.pool]
	if nodes[of.node]--; nodes[of.node] == 0 {
		delete(nodes, of.node)
	}
	if len(nodes) == 0 {
		delete(s.owners, of.pool)
	}
}
