package placement

import (
	"cmp"
	"maps"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// node is what filters and scores read of a node, and the sum of what is on it.
// What every preview reads of every node stands first, in one line of the
// processor's cache: of many nodes the time is that of fetching their lines. So
// the whole is three lines long, which keeps the next one's where they begin.
type node struct {
	name     string
	hash     uint64 // of the name
	slot     int32
	pods     int32 // placed on it
	allowed  int32 // Pods that it takes
	ready    bool
	cordoned bool
	tainted  bool
	left     amounts // allocatable, less what Pods take

	allocatable amounts
	taints      []v1.Taint
	machines    *sums // what Machines take; nil while there are none
	ports       map[hostPort][]*placed
	// object has the name and labels; nil while the node is known only because
	// something is placed on it.
	object *v1.Node
	_      [cacheLine - 24]byte
}

// cacheLine is what processors fetch at once, in bytes.
const cacheLine = 64

// bear counts a usage on the node, or with -1 takes it away again.
func (n *node) bear(of *placed, times int64) {
	if of.kind == machine {
		if n.machines == nil {
			n.machines = &sums{}
		}
		n.machines.add(of.usage, times)
		return
	}
	n.pods += int32(times)
	for i, number := range of.usage.numbers {
		n.left.add(number, -times*of.usage.amounts[i])
	}
}

// machine is what Machines take of one resource.
func (n *node) machine(number int) int64 {
	if n.machines == nil {
		return 0
	}
	return n.machines.use.of(number)
}

// onMachines is all that Machines take of the node.
func (n *node) onMachines() sums {
	if n.machines == nil {
		return sums{}
	}
	return *n.machines
}

// sums is what Machines take of a node.
type sums struct {
	count  int64
	use    amounts
	pinned int64 // whole cpus that Machines have for themselves
}

func (u *sums) add(of *usage, times int64) {
	u.count += times
	u.pinned += times * of.pinned
	for i, number := range of.numbers {
		u.use.add(number, times*of.amounts[i])
	}
}

// SetNode records a node, new or changed.
func (s *Snapshot) SetNode(object *v1.Node) {
	s.generation++
	n := s.node(object.Name)
	if n.object == nil {
		i, _ := s.find(n.name)
		s.order = slices.Insert(s.order, i, n)
	}
	n.object = &v1.Node{}
	n.object.Name, n.object.Labels = object.Name, maps.Clone(object.Labels)
	n.taints, n.tainted = slices.Clone(object.Spec.Taints), len(object.Spec.Taints) > 0
	n.cordoned, n.ready = object.Spec.Unschedulable, ready(object)
	s.allocate(n, object.Status.Allocatable)
	for _, t := range s.topologies {
		t.place(n.slot, n.object.Labels)
	}
}

func (s *Snapshot) allocate(n *node, list v1.ResourceList) {
	s.deallocate(n)
	n.allowed = int32(min(list.Pods().Value(), math.MaxInt32))
	for name, quantity := range list {
		if !counted(name) {
			continue
		}
		amount := quantity.Value()
		if name == v1.ResourceCPU {
			amount = quantity.MilliValue()
		}
		if amount == 0 {
			continue
		}
		number := s.names.hold(string(name))
		n.allocatable.add(number, amount)
		n.left.add(number, amount)
	}
}

// deallocate takes back what a node had to give.
func (s *Snapshot) deallocate(n *node) {
	n.allowed = 0
	for number := range n.allocatable.numbers() {
		if amount := n.allocatable.of(number); amount != 0 {
			n.left.add(number, -amount)
			s.names.drop(number)
		}
	}
	n.allocatable = amounts{}
}

// RemoveNode forgets a node. What is placed on it stays known and counts again
// when the node is back.
func (s *Snapshot) RemoveNode(name string) {
	s.generation++
	n, ok := s.nodes[name]
	if !ok || n.object == nil {
		return
	}
	i, _ := s.find(name)
	s.order = slices.Delete(s.order, i, i+1)
	n.object = nil
	s.deallocate(n)
	for _, t := range s.topologies {
		t.place(n.slot, nil)
	}
	s.release(n)
}

func (s *Snapshot) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.order, name, func(n *node, name string) int {
		return cmp.Compare(n.name, name)
	})
}

func (s *Snapshot) node(name string) *node {
	if n, ok := s.nodes[name]; ok {
		return n
	}
	n := &node{name: name, hash: hashed(offset, name), slot: int32(len(s.slots))}
	if last := len(s.freeSlots) - 1; last >= 0 {
		n.slot = s.freeSlots[last]
		s.freeSlots = s.freeSlots[:last]
		s.slots[n.slot] = n
	} else {
		s.slots = append(s.slots, n)
	}
	s.nodes[name] = n
	return n
}

// release forgets a node that neither exists nor bears anything.
func (s *Snapshot) release(n *node) {
	if n.object != nil || n.pods > 0 || n.onMachines().count > 0 {
		return
	}
	delete(s.nodes, n.name)
	s.slots[n.slot] = nil
	s.freeSlots = append(s.freeSlots, n.slot)
}

func ready(object *v1.Node) bool {
	for _, condition := range object.Status.Conditions {
		if condition.Type == v1.NodeReady {
			return condition.Status == v1.ConditionTrue
		}
	}
	return false
}
