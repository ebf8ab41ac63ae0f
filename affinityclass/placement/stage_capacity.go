package placement

import v1 "k8s.io/api/core/v1"

// resources: everything the request asks of a node's allocatable resources, and
// for a Pod one more Pod. The first that is short names the node.
func resources(r *run, _ []*node) judge {
	asked := r.asked()
	return func(n *node) *Reason {
		for i := range asked {
			if want := &asked[i]; want.amount > r.room(n, want.number) && !want.elsewhere(n) {
				return r.short(n, asked)
			}
		}
		if r.request.kind == pod && r.podRoom(n) < 1 {
			return r.short(n, asked)
		}
		return nil
	}
}

// asked is a need with the number of its resource in the snapshot.
type asked struct {
	need
	number  int
	devices bool // a device class may have it
}

func (r *run) asked() []asked {
	all := make([]asked, len(r.request.needs))
	for i, n := range r.request.needs {
		number, ok := r.names.numbers[n.name]
		if !ok {
			number = len(r.names.names) // no node has it
		}
		all[i] = asked{n, number, number >= fixedResources && r.byDevices(n.name)}
	}
	return all
}

// elsewhere says whether a resource that the node has none of comes from a device.
func (a *asked) elsewhere(n *node) bool { return a.devices && n.allocatable.of(a.number) == 0 }

// room is what is free of a resource on a node.
func (r *run) room(n *node, number int) int64 {
	if r.spare {
		return n.allocatable.of(number)
	}
	free := r.left(n, r.request.kind, number)
	if self := r.selfOn(n); self != nil {
		for i, own := range self.usage.numbers {
			if own == number {
				free += self.usage.amounts[i]
			}
		}
	}
	return free
}

func (r *run) podRoom(n *node) int64 {
	if r.spare {
		return int64(n.allowed)
	}
	return int64(n.allowed) - r.assigned(n)
}

// assigned is how many are on a node, the request itself not counted.
func (r *run) assigned(n *node) int64 {
	count := r.count(n, r.request.kind)
	if r.selfOn(n) != nil {
		count--
	}
	return count
}

// short lists what a node lacks.
func (r *run) short(n *node, asked []asked) *Reason {
	var short []Amount
	for i := range asked {
		want := &asked[i]
		if have := r.room(n, want.number); want.amount > have && !want.elsewhere(n) {
			short = append(short, Amount{want.name, want.amount, have})
		}
	}
	if r.request.kind == pod && r.podRoom(n) < 1 {
		short = append(short, Amount{string(v1.ResourcePods), 1, r.podRoom(n)})
	}
	first := short[0]
	reason := &Reason{Rule: first.Resource, Resource: first.Resource, Need: first.Need, Have: first.Have}
	if len(short) > 1 {
		reason.Short = short
		return reason
	}
	reason.Fix = quantity(first.Resource, first.Need-first.Have) + " " + first.Resource + " short"
	return reason
}

// cpuPinning: whole cpus that a Machine wants for itself must not be another
// Machine's already.
func cpuPinning(r *run, _ []*node) judge {
	want := r.request.pinned
	if want == 0 {
		return nil
	}
	return func(n *node) *Reason {
		free := n.allocatable.of(cpu) / 1000
		if !r.spare {
			free -= r.pinned(n)
			if r.self != nil && r.self.node == n {
				free += r.self.usage.pinned
			}
		}
		if want <= free {
			return nil
		}
		return &Reason{
			Rule: "cpuPinning", Resource: "vCPU", unit: "vCPU(s)", Need: want, Have: free,
			Fix: quantity("vCPU", want-free) + " vCPU short",
		}
	}
}
