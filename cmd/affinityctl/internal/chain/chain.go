// Package chain tells of a lineage: the hops from an object up, how each was found,
// and the release they lead to or the reason why they do not. lineage.Trace walked;
// here it is only written down.
package chain

import (
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
)

// Report is a lineage, with its JSON.
type Report struct {
	Object   Object   `json:"object"`
	Outcome  string   `json:"outcome"`  // Resolved, Unmanaged, Ambiguous, Broken or Unknown
	Releases []string `json:"releases"` // namespace/name of those reached; several when Ambiguous
	Classes  []string `json:"classes"`  // that they name, in the same order; empty for none
	Why      string   `json:"why"`      // what stands in the way of one release; empty when Resolved
	Branches []Branch `json:"branches"` // the ways up; one, but when Ambiguous
}

// Object names one.
type Object struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Branch is one way up, from the object on.
type Branch struct {
	Release string `json:"release"` // that it ends at; empty for none
	Hops    []Hop  `json:"hops"`
}

// Hop is one step.
type Hop struct {
	Object
	Via   string `json:"via"`   // controller, owner or flux-label; empty for the first
	Found bool   `json:"found"` // false for the step that could not be made
}

// New tells of the outcome of a walk from an object.
func New(object *lineage.Object, outcome lineage.Outcome) *Report {
	r := &Report{Object: ofObject(object), Releases: []string{}, Classes: []string{}, Branches: []Branch{}}
	switch o := outcome.(type) {
	case lineage.Resolved:
		r.Outcome = "Resolved"
		r.resolve(o)
	case lineage.Ambiguous:
		r.Outcome, r.Why = "Ambiguous", "different releases were reached: each of their classes has to be kept"
		for _, branch := range o.Branches {
			r.resolve(branch)
		}
	case lineage.Unmanaged:
		r.Outcome, r.Why = "Unmanaged", o.Top.String()+": "+string(o.Why)
		r.Branches = append(r.Branches, Branch{Hops: hops(o.Chain)})
	case lineage.Broken:
		r.Outcome, r.Why = "Broken", string(o.Why)
		r.Branches = append(r.Branches, Branch{Hops: append(hops(o.Chain), unread(o.Hop))})
	case lineage.Unknown:
		r.Outcome, r.Why = "Unknown", o.Err.Error()
		r.Branches = append(r.Branches, Branch{Hops: append(hops(o.Chain), unread(o.Hop))})
	}
	return r
}

func (r *Report) resolve(found lineage.Resolved) {
	name := found.Release.Namespace + "/" + found.Release.Name
	r.Releases = append(r.Releases, name)
	r.Classes = append(r.Classes, classOf(found))
	r.Branches = append(r.Branches, Branch{Release: name, Hops: hops(found.Chain)})
}

// classOf is the class of the topmost release that names one: a part inherits it.
func classOf(found lineage.Resolved) string {
	class := ""
	for _, release := range found.Releases() {
		if name, ok := policy.ClassName(release.Labels); ok {
			class = name
		}
	}
	return class
}

func hops(chain []lineage.Hop) []Hop {
	found := make([]Hop, 0, len(chain)+1)
	for _, hop := range chain {
		found = append(found, Hop{Object: ofObject(hop.Object), Via: string(hop.Via), Found: true})
	}
	return found
}

func unread(hop lineage.Hop) Hop {
	r := hop.Ref
	return Hop{Object: Object{r.Group, r.Kind, r.Namespace, r.Name}, Via: string(hop.Via)}
}

func ofObject(o *lineage.Object) Object { return Object{o.Group, o.Kind, o.Namespace, o.Name} }
