package workload

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Entry is what is known of a kind of custom resource: the roles of the Pods that
// its operator makes. Without roles it makes none.
type Entry struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	Roles []Role `json:"roles,omitempty"`
}

// Role is where the Pods of one role take their constraints from. Each path is of
// fields joined by dots; [] after a field is each element of its list, and * is
// each field of an object. Of several paths the first that is there counts; one
// that begins with / starts at the object's root.
type Role struct {
	// At is the object whose presence means that there are such Pods; spec is
	// always there.
	At string `json:"at"`
	// Enabled, below At, must be true for such Pods to be.
	Enabled string `json:"enabled,omitempty"`
	// Unless lists paths below At: where one of them is, there are no such Pods.
	Unless []string `json:"unless,omitempty"`
	// Pod, below At, holds the fields; without it At does.
	Pod []string `json:"pod,omitempty"`
	// NodeSelector and NodeAffinity, below Pod, become those of the Pod; without a
	// path the Pod has none.
	NodeSelector []string `json:"nodeSelector,omitempty"`
	NodeAffinity []string `json:"nodeAffinity,omitempty"`
	// Bare, below At, is shown for Pods that can be given neither: what would have to
	// be set for them to be of another role.
	Bare string `json:"bare,omitempty"`
}

// Table finds what the kinds of custom resources say of their Pods. It is not
// changed once made.
type Table struct {
	entries map[schema.GroupKind]Entry
}

// With is the table with these entries, which replace those of the same kind.
func (t *Table) With(entries ...Entry) *Table {
	more := &Table{entries: maps.Clone(t.entries)}
	for _, entry := range entries {
		more.entries[schema.GroupKind{Group: entry.Group, Kind: entry.Kind}] = entry
	}
	return more
}

// Has says whether the kind is in the table.
func (t *Table) Has(kind schema.GroupKind) bool {
	_, ok := t.entries[kind]
	return ok
}

// Kinds lists the kinds of the table, sorted.
func (t *Table) Kinds() []schema.GroupKind {
	return slices.SortedFunc(maps.Keys(t.entries), func(a, b schema.GroupKind) int {
		return slices.Compare([]string{a.Group, a.Kind}, []string{b.Group, b.Kind})
	})
}

// Fragments is a Pod template made of what a custom resource says of the Pods of
// one role.
type Fragments struct {
	Template
	// NodeSelector and NodeAffinity are the paths of what becomes those of the Pod;
	// empty where the resource has no such field.
	NodeSelector, NodeAffinity string
}

// Find gives one template for each role whose Pods there are; false when the kind
// is not in the table. The error is a *PathError: a path leads through something
// that is not as the kind has it.
func (t *Table) Find(kind schema.GroupKind, object []byte) ([]Fragments, bool, error) {
	entry, ok := t.entries[kind]
	if !ok {
		return nil, false, nil
	}
	var found []Fragments
	for _, role := range entry.Roles {
		pods, err := role.find(object)
		if err != nil {
			err.Kind = kind
			return nil, true, err
		}
		found = append(found, pods...)
	}
	return found, true, nil
}

// alwaysThere is what every workload has, with defaults if the object says nothing.
const alwaysThere = "spec"

func (r *Role) find(object []byte) ([]Fragments, *PathError) {
	root := place{value: object}
	places, err := root.below(r.At)
	if err != nil {
		return nil, err
	}
	if len(places) == 0 && r.At == alwaysThere {
		places = []place{{path: alwaysThere, value: []byte("{}")}}
	}
	var found []Fragments
	for _, at := range places {
		there, err := r.has(at)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		pod, err := r.fragments(root, at)
		if err != nil {
			return nil, err
		}
		found = append(found, pod)
	}
	return found, nil
}

// has says whether there are Pods of the role at the place.
func (r *Role) has(at place) (bool, *PathError) {
	for _, path := range r.Unless {
		others, err := at.below(path)
		if err != nil || len(others) > 0 {
			return false, err
		}
	}
	if r.Enabled == "" {
		return true, nil
	}
	by, err := at.below(r.Enabled)
	return len(by) > 0 && string(by[0].value) == "true", err
}

func (r *Role) fragments(root, at place) (Fragments, *PathError) {
	if len(r.NodeSelector)+len(r.NodeAffinity) == 0 {
		path := at.child(r.Bare).path
		return Fragments{Template: Template{Path: path, JSON: []byte("{}")}, NodeSelector: path, NodeAffinity: path}, nil
	}
	pod, err := at, (*PathError)(nil)
	if len(r.Pod) > 0 {
		pod, err = at.first(root, r.Pod)
	}
	if err != nil {
		return Fragments{}, err
	}
	selector, err := pod.first(root, r.NodeSelector)
	if err != nil {
		return Fragments{}, err
	}
	affinity, err := pod.first(root, r.NodeAffinity)
	if err != nil {
		return Fragments{}, err
	}
	text := fmt.Appendf(nil, `{"spec":{"nodeSelector":%s,"affinity":{"nodeAffinity":%s}}}`, selector.text(), affinity.text())
	return Fragments{Template: Template{Path: pod.path, JSON: text}, NodeSelector: selector.path, NodeAffinity: affinity.path}, nil
}
