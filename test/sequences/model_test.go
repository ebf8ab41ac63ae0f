package sequences_test

import (
	"maps"
	"slices"
)

// The namespaces: three tenants, each below the one before it, and nobody's.
const plain = "shop"

var (
	spaces  = []string{"tenant-a", "tenant-a-b", "tenant-a-b-c", plain}
	classes = []string{"dc1", "dc2", "dc3", "dc4"}
)

// list is what a Tenant allows; unset: no restriction.
type list struct {
	set   bool
	names []string
}

type tenant struct {
	list      list
	byDefault string
}

// model is what the rules make of everything. Its rules are written from the
// documents, plainly and at any cost.
type model struct {
	classes  map[string]bool
	tolerate map[string]string  // the taint that a class tolerates
	tenants  map[string]tenant  // by the namespace they govern
	releases map[string]release // by namespace/name
}

func newModel() *model {
	return &model{classes: map[string]bool{}, tolerate: map[string]string{}, tenants: map[string]tenant{}, releases: map[string]release{}}
}

// given is what the values are told of a class as it was then; the zero value: nothing.
type given struct{ class, tolerate string }

func (m *model) gives(class string) given { return given{class, m.tolerate[class]} }

// release is a release: what its writer says, and what is derived.
type release struct {
	named, note          string // in the values, by annotation
	keep, remote, parted bool   // values left alone, another cluster, a part of release "whole"

	label, source string
	previous      []string
	given         given // in _scheduling
	ready         bool  // in its present form
}

func (r release) asks() string {
	if r.named != "" {
		return r.named
	}
	return r.note
}

// above lists the tenant namespaces from the top down to this one.
func above(space string) []string {
	if space == plain {
		return nil
	}
	return spaces[:slices.Index(spaces, space)+1]
}

// allows asks each Tenant on the path; where one is missing nothing is allowed.
func (m *model) allows(space, class string) bool {
	for _, each := range above(space) {
		t, ok := m.tenants[each]
		if !ok || t.list.set && !slices.Contains(t.list.names, class) {
			return false
		}
	}
	return true
}

func (m *model) restricted(space string) bool {
	for _, each := range above(space) {
		if t, ok := m.tenants[each]; !ok || t.list.set {
			return true
		}
	}
	return false
}

func (m *model) fallback(space string) string {
	for _, each := range slices.Backward(above(space)) {
		if t, ok := m.tenants[each]; ok && t.byDefault != "" && m.allows(space, t.byDefault) {
			return t.byDefault
		}
	}
	return ""
}

// mayBe says whether a Tenant may become so.
func (m *model) mayBe(space string, t tenant) bool {
	old, had := m.tenants[space]
	if had && old.byDefault == t.byDefault && old.list.set == t.list.set && slices.Equal(old.list.names, t.list.names) {
		return true
	}
	after := &model{classes: m.classes, tenants: maps.Clone(m.tenants)}
	after.tenants[space] = tenant{}
	knows := func(class string) bool {
		return m.classes[class] || had && (old.byDefault == class || slices.Contains(old.list.names, class))
	}
	for _, class := range t.list.names {
		if !after.allows(space, class) || !knows(class) {
			return false
		}
	}
	after.tenants[space] = t
	return t.byDefault == "" || after.allows(space, t.byDefault) && knows(t.byDefault)
}

func (m *model) mayGo(space string) bool {
	at := slices.Index(spaces, space)
	_, below := m.tenants[spaces[at+1]]
	return !below
}

// used says whether a class may not be deleted.
func (m *model) used(class string) bool {
	for _, r := range m.releases {
		if r.label == class {
			return true
		}
	}
	for _, t := range m.tenants {
		if t.byDefault == class || slices.Contains(t.list.names, class) {
			return true
		}
	}
	return false
}

// derive is what becomes of a release; false when it is refused.
func (m *model) derive(space string, old *release, r release) (release, bool) {
	whole, hasWhole := m.releases[space+"/whole"]
	part := r.parted && hasWhole && !r.remote && !whole.remote
	r.label, r.source = "", ""
	switch {
	case r.remote:
	case part && whole.label != "":
		r.label, r.source = whole.label, "parent"
	case r.asks() != "":
		r.label, r.source = r.asks(), "explicit"
	case old != nil && old.source == "default":
		r.label, r.source = old.label, "default"
	case old == nil && !part && m.fallback(space) != "":
		r.label, r.source = m.fallback(space), "default"
	}
	if r.label != "" && (!m.allows(space, r.label) || !m.classes[r.label]) {
		if old == nil || old.named != r.named || old.note != r.note || old.remote != r.remote {
			return r, false
		}
		r.label, r.source, r.previous, r.given = old.label, old.source, old.previous, old.given
		return r, true
	}
	r.previous = m.former(old, r)
	if !r.keep && !r.remote {
		r.given = m.gives(r.label)
	}
	return r, true
}

func (m *model) former(old *release, r release) []string {
	if old == nil || r.remote {
		return nil
	}
	var names []string
	if !old.ready {
		names = slices.Clone(old.previous)
	}
	was := old.label
	if was == "" {
		was = "-"
	}
	if old.label != r.label && !slices.Contains(names, was) {
		names = append(names, was)
	}
	now := r.label
	if now == "" {
		now = "-"
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == now })
	if len(names) > 8 {
		names = append(names[:1], names[len(names)-7:]...)
	}
	return names
}

// follow is what the elected replica has parts do.
func (m *model) follow(space string) {
	whole, hasWhole := m.releases[space+"/whole"]
	part, ok := m.releases[space+"/part"]
	if !hasWhole || !ok || part.remote || whole.remote {
		return
	}
	if whole.label != "" && part.label != whole.label || whole.label == "" && part.source == "parent" {
		next, _ := m.derive(space, &part, part)
		next.ready = part.ready && next.given == part.given
		m.releases[space+"/part"] = next
	}
}
