// Package policy is a pure snapshot of what the platform admin decided: the
// AffinityClasses of the cluster, compiled, and which of them a release names.
//
// Package store keeps a Snapshot current in a cluster; affinityctl makes one
// from files. A Snapshot is immutable: a change gives a new one.
package policy

import (
	"errors"
	"maps"
	"slices"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// ErrClassNotFound says that the snapshot has no class of that name.
var ErrClassNotFound = errors.New("AffinityClass not found")

// Snapshot holds every class by name. The zero value has none.
type Snapshot struct {
	classes map[string]entry
}

// entry keeps a class that does not compile too: its Pods are refused for that
// reason, not because it is absent.
type entry struct {
	class *affinityclass.Class
	err   error
}

// New makes a snapshot of these classes; of two with one name the later wins.
func New(classes ...*v1alpha1.AffinityClass) *Snapshot {
	s := &Snapshot{classes: make(map[string]entry, len(classes))}
	for _, class := range classes {
		s.classes[class.Name] = compile(class)
	}
	return s
}

// With returns a snapshot in which class replaces the one of its name.
func (s *Snapshot) With(class *v1alpha1.AffinityClass) *Snapshot {
	next := s.clone()
	next.classes[class.Name] = compile(class)
	return next
}

// Without returns a snapshot that lacks the named class.
func (s *Snapshot) Without(name string) *Snapshot {
	next := s.clone()
	delete(next.classes, name)
	return next
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

func (s *Snapshot) clone() *Snapshot {
	next := &Snapshot{classes: make(map[string]entry, len(s.classes)+1)}
	maps.Copy(next.classes, s.classes)
	return next
}

func compile(class *v1alpha1.AffinityClass) entry {
	compiled, err := affinityclass.Compile(class)
	return entry{class: compiled, err: err}
}
