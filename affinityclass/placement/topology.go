package placement

import v1 "k8s.io/api/core/v1"

// none is the domain of a node without the key.
const none = int32(-1)

// topology divides the nodes into domains by the value of one label.
type topology struct {
	key     string
	domains map[string]int32
	values  []string // by domain
	sizes   []int32  // nodes in each domain
	free    []int32  // domains that have no node any more
	of      []int32  // by node slot
}

// wellKnownTopologies are kept with the nodes; others are made when a request
// asks for them.
func wellKnownTopologies() []string {
	return []string{v1.LabelHostname, v1.LabelTopologyZone, v1.LabelTopologyRegion}
}

func newTopology(key string) *topology {
	return &topology{key: key, domains: map[string]int32{}}
}

// place puts the node at a slot where its labels say; nil labels take it out.
func (t *topology) place(slot int32, labels map[string]string) {
	for int(slot) >= len(t.of) {
		t.of = append(t.of, none)
	}
	if old := t.of[slot]; old != none {
		t.leave(old)
	}
	value, ok := labels[t.key]
	if !ok {
		t.of[slot] = none
		return
	}
	t.of[slot] = t.domain(value)
	t.sizes[t.of[slot]]++
}

func (t *topology) leave(domain int32) {
	t.sizes[domain]--
	if t.sizes[domain] == 0 {
		delete(t.domains, t.values[domain])
		t.free = append(t.free, domain)
	}
}

func (t *topology) domain(value string) int32 {
	if domain, ok := t.domains[value]; ok {
		return domain
	}
	if last := len(t.free) - 1; last >= 0 {
		domain := t.free[last]
		t.free = t.free[:last]
		t.domains[value], t.values[domain] = domain, value
		return domain
	}
	domain := int32(len(t.values))
	t.domains[value] = domain
	t.values = append(t.values, value)
	t.sizes = append(t.sizes, 0)
	return domain
}

// at is the domain of a node, or none.
func (t *topology) at(n *node) int32 {
	if int(n.slot) >= len(t.of) {
		return none
	}
	return t.of[n.slot]
}
