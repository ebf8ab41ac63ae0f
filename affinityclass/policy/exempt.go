package policy

import (
	"slices"
	"strings"
	"time"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// WithExemption returns a snapshot in which the exemption replaces the one of
// its name. One that cannot be read exempts nothing.
func (s *Snapshot) WithExemption(exemption *v1alpha1.AffinityExemption) *Snapshot {
	next := s.WithoutExemption(exemption.Name)
	compiled, err := affinityclass.CompileExemption(exemption)
	if err != nil {
		return next
	}
	at, _ := slices.BinarySearchFunc(next.exemptions, exemption.Name, byName)
	next.exemptions = slices.Insert(next.exemptions, at, compiled)
	return next
}

// WithoutExemption returns a snapshot that lacks the named exemption.
func (s *Snapshot) WithoutExemption(name string) *Snapshot {
	next := *s
	next.exemptions = slices.Clone(s.exemptions)
	if at, found := slices.BinarySearchFunc(next.exemptions, name, byName); found {
		next.exemptions = slices.Delete(next.exemptions, at, at+1)
	}
	return &next
}

func byName(e *affinityclass.Exemption, name string) int { return strings.Compare(e.Name(), name) }

// Exempt is the first exemption, by name, that covers the creation of a Pod at
// the moment now. A ServiceAccount of a governed namespace is never covered: any
// Pod there can wear it, so it is not evidence of a platform's controller.
func (s *Snapshot) Exempt(c affinityclass.Creation, now time.Time) (*affinityclass.Exemption, bool) {
	if namespace, _, ok := affinityclass.ServiceAccount(c.Username); ok {
		if _, governed := s.Namespace(namespace); governed {
			return nil, false
		}
	}
	for _, exemption := range s.exemptions {
		if exemption.Covers(c, now) {
			return exemption, true
		}
	}
	return nil, false
}
