// Package policy is a pure snapshot of what was decided about classes: the
// AffinityClasses and AffinityExemptions of the cluster, compiled; which namespaces
// are governed, and what tenants leave to them; and what becomes of a release by it.
//
// Package store keeps a Snapshot current in a cluster; affinityctl makes one
// from files. A Snapshot is immutable: a change gives a new one.
package policy

import (
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// ErrClassNotFound says that the snapshot has no class of that name.
var ErrClassNotFound = errors.New("AffinityClass not found")

// Snapshot holds classes, exemptions, tenants and governed namespaces. Make one
// with New.
type Snapshot struct {
	classes    map[string]entry
	exemptions []*affinityclass.Exemption // sorted by name
	governed   map[string]Namespace       // by name; absent: not governed
	tenants    map[string]Tenant          // by the namespace that they govern

	tenancies *sync.Map // namespace to *Tenancy, as far as asked for
}

// entry keeps a class that does not compile too: its Pods are refused for that
// reason, not because it is absent.
type entry struct {
	class *affinityclass.Class
	err   error

	generation  int64 // 0 where the class was not read from an API server
	terminating bool
}

// same says whether a change of a class is none of what is kept, such as one of its
// status.
func (e *entry) same(class *v1alpha1.AffinityClass) bool {
	return e.generation != 0 && e.generation == class.Generation && e.terminating == (class.DeletionTimestamp != nil)
}

// New makes a snapshot of these classes; of two with one name the later wins.
func New(classes ...*v1alpha1.AffinityClass) *Snapshot {
	s := &Snapshot{classes: make(map[string]entry, len(classes)), tenancies: &sync.Map{}}
	for _, class := range classes {
		s.classes[class.Name] = compile(class)
	}
	return s
}

// With returns a snapshot in which class replaces the one of its name.
func (s *Snapshot) With(class *v1alpha1.AffinityClass) *Snapshot {
	if before, ok := s.classes[class.Name]; ok && before.same(class) {
		return s
	}
	next := s.forgetful()
	next.classes = grown(s.classes)
	next.classes[class.Name] = compile(class)
	return next
}

// Without returns a snapshot that lacks the named class.
func (s *Snapshot) Without(name string) *Snapshot {
	next := s.forgetful()
	next.classes = grown(s.classes)
	delete(next.classes, name)
	return next
}

// Only returns a snapshot of these classes, exemptions and tenants alone, with the
// governed namespaces of s.
func (s *Snapshot) Only(classes []*v1alpha1.AffinityClass, exemptions []v1alpha1.AffinityExemption, tenants []Tenant) *Snapshot {
	only := New(classes...)
	only.governed = s.governed
	for i := range exemptions {
		only = only.WithExemption(&exemptions[i])
	}
	for _, tenant := range tenants {
		only = only.WithTenant(tenant)
	}
	return only
}

// forgetful is a copy that has found no tenancy yet.
func (s *Snapshot) forgetful() *Snapshot {
	next := *s
	next.tenancies = &sync.Map{}
	return &next
}

// Class returns the named class. The error is ErrClassNotFound, or says why the
// stored class cannot hold a Pod (affinityclass.ErrNoSelector).
func (s *Snapshot) Class(name string) (*affinityclass.Class, error) {
	found, ok := s.classes[name]
	if !ok {
		return nil, ErrClassNotFound
	}
	return found.class, found.err
}

// Names lists the classes, sorted.
func (s *Snapshot) Names() []string {
	return slices.Sorted(maps.Keys(s.classes))
}

// grown copies a map that is about to change.
func grown[V any](from map[string]V) map[string]V {
	next := make(map[string]V, len(from)+1)
	maps.Copy(next, from)
	return next
}

func compile(class *v1alpha1.AffinityClass) entry {
	compiled, err := affinityclass.Compile(class)
	return entry{class: compiled, err: err, generation: class.Generation, terminating: class.DeletionTimestamp != nil}
}
