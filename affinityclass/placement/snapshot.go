package placement

import (
	"sync"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// Snapshot is what bears on a placement. It has one writer: the methods that
// change it must not run while another of its methods does. Reading is safe from
// many goroutines, so a sync.RWMutex around it is enough.
//
// It copies what it needs; objects given to it may change afterwards.
type Snapshot struct {
	generation uint64

	nodes      map[string]*node // by name; some only because a Pod names them
	slots      []*node          // by node.slot; nil where free
	freeSlots  []int32
	order      []*node // nodes that exist, by name
	names      resourceNames
	topologies map[string]*topology // the well-known keys

	namespaces map[string]*namespace
	pods       map[types.NamespacedName]*placed
	machines   map[types.NamespacedName]*placed
	daemons    map[daemon]*placed
	usages     map[string]*usage
	terms      map[string]*term // required anti-affinity of placed Pods, by text
	wide       map[*term]struct{}

	claims        map[types.NamespacedName][]pool
	slices        map[string]sliceOf
	owners        map[pool]map[string]int // nodes that own a pool's slices, "" for none, by number of slices
	quotas        map[types.NamespacedName]*quota
	machineQuotas map[types.NamespacedName]*quota
	classes       map[string]PriorityClass
	devices       map[string]string // device classes, and the extended resource of each

	scratches sync.Pool // of *scratch
}

// namespace is what is known of a namespace and who is placed in it.
type namespace struct {
	name    string
	labels  labels.Set
	present bool              // the object exists; others are here because a Pod is
	kinds   map[string]*alike // by labelSet.text
	// tagged are those of kinds that bear tags; nil where nobody does.
	tagged map[*alike]struct{}
	// repels are the anti-affinity terms of placed Pods that name this namespace.
	repels map[*term]struct{}
}

// alike is the Pods of one namespace with the same labels. A selector is asked
// once for all of them.
type alike struct {
	in      *namespace
	labels  labelSet
	tags    []string // sorted; nil for most
	members []*placed
}

// NewSnapshot returns a snapshot that is empty.
func NewSnapshot() *Snapshot {
	s := &Snapshot{
		nodes:         map[string]*node{},
		names:         newResourceNames(),
		topologies:    map[string]*topology{},
		namespaces:    map[string]*namespace{},
		pods:          map[types.NamespacedName]*placed{},
		machines:      map[types.NamespacedName]*placed{},
		daemons:       map[daemon]*placed{},
		usages:        map[string]*usage{},
		terms:         map[string]*term{},
		wide:          map[*term]struct{}{},
		claims:        map[types.NamespacedName][]pool{},
		slices:        map[string]sliceOf{},
		owners:        map[pool]map[string]int{},
		quotas:        map[types.NamespacedName]*quota{},
		machineQuotas: map[types.NamespacedName]*quota{},
		classes:       map[string]PriorityClass{},
		devices:       map[string]string{},
	}
	for _, key := range wellKnownTopologies() {
		s.topologies[key] = newTopology(key)
	}
	return s
}

// Generation counts the changes so far: two equal generations of one snapshot
// are the same state.
func (s *Snapshot) Generation() uint64 { return s.generation }

// Pods is how many Pods are placed, Machines not counted.
func (s *Snapshot) Pods() int { return len(s.pods) }

// Nodes is how many nodes there are.
func (s *Snapshot) Nodes() int { return len(s.order) }

// NodeNames lists the nodes, sorted.
func (s *Snapshot) NodeNames() []string {
	names := make([]string, len(s.order))
	for i, n := range s.order {
		names[i] = n.name
	}
	return names
}

func (s *Snapshot) namespace(name string) *namespace {
	ns, ok := s.namespaces[name]
	if !ok {
		ns = &namespace{name: name, kinds: map[string]*alike{}, repels: map[*term]struct{}{}}
		s.namespaces[name] = ns
	}
	return ns
}

// forget drops a namespace that nothing speaks of any more.
func (s *Snapshot) forget(ns *namespace) {
	if !ns.present && len(ns.kinds) == 0 && len(ns.repels) == 0 {
		delete(s.namespaces, ns.name)
	}
}
