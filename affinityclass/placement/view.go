package placement

import "k8s.io/apimachinery/pkg/types"

// view is a snapshot and what one Rank has placed so far on top of it. It reads
// the snapshot and never changes it.
type view struct {
	*Snapshot
	drained *Drained // nil when no node is leaving
	added   []*placed
	onNode  []*node                     // by node slot, what was added: what it bears and ports
	claimed map[*quota]map[string]int64 // what was added to a quota
	moved   map[*placed]struct{}        // those placed already that were added again

	limit, spent int64 // steps; no limit is 0
}

// left is what the request may count as free on a node: what Pods leave, and of
// that for a Machine what Machines leave, since kube-scheduler knows nothing of
// them.
func (v *view) left(n *node, of kind, number int) int64 {
	free := n.left.of(number)
	if of == machine {
		free -= n.machine(number)
	}
	if extra := v.more(n); extra != nil {
		free += extra.left.of(number) // below zero: nothing is allocatable there
		if of == machine {
			free -= extra.machine(number)
		}
	}
	return free
}

// count is how many are assigned to a node, as the request counts them.
func (v *view) count(n *node, of kind) int64 {
	sum := int64(n.pods)
	if of == machine {
		sum += n.onMachines().count
	}
	if extra := v.more(n); extra != nil {
		sum += int64(extra.pods)
		if of == machine {
			sum += extra.onMachines().count
		}
	}
	return sum
}

func (v *view) pinned(n *node) int64 {
	sum := n.onMachines().pinned
	if extra := v.more(n); extra != nil {
		sum += extra.onMachines().pinned
	}
	return sum
}

// space is a namespace as the snapshot has it, or one that it has never heard of.
func (v *view) space(name string) *namespace {
	if ns, ok := v.namespaces[name]; ok {
		return ns
	}
	return &namespace{name: name}
}

// add places a request on a node for those that come after it.
func (v *view) add(r *Request, on string) {
	n := v.nodes[on]
	if self := v.itself(r); self != nil {
		v.take(self)
	}
	p := v.settled(r)
	p.node = n
	extra := v.extra(n)
	extra.bear(p, 1)
	for _, port := range r.ports {
		extra.ports[port] = append(extra.ports[port], p)
	}
	if r.kind == pod {
		for _, t := range r.repel {
			p.extra.terms = append(p.extra.terms, held{term: t})
		}
	}
	v.added = append(v.added, p)
}

// settled is a request as it would be placed, on no node yet.
func (v *view) settled(r *Request) *placed {
	return &placed{
		name: r.object.Name, uid: r.uid, kind: r.kind,
		alike: &alike{in: v.space(r.object.Namespace), labels: newLabelSet(r.labels), tags: r.tags},
		usage: v.taken(r),
		extra: &extra{},
	}
}

// take takes what is placed already from where it is, once it was added anew.
func (v *view) take(p *placed) {
	if _, gone := v.moved[p]; gone || v.departed(p) {
		return
	}
	if v.moved == nil {
		v.moved = map[*placed]struct{}{}
	}
	v.moved[p] = struct{}{}
	v.extra(p.node).bear(p, -1)
}

// extra is what was added to a node.
func (v *view) extra(n *node) *node {
	if v.onNode == nil {
		v.onNode = make([]*node, len(v.slots))
	}
	extra := v.onNode[n.slot]
	if extra == nil {
		extra = &node{ports: map[hostPort][]*placed{}}
		v.onNode[n.slot] = extra
	}
	return extra
}

// more is what was added to a node, nil for nothing.
func (v *view) more(n *node) *node {
	if int(n.slot) < len(v.onNode) {
		return v.onNode[n.slot]
	}
	return nil
}

// taken is the usage of a request. A resource that no node has cannot have been
// given, so every name is known.
func (v *view) taken(r *Request) *usage {
	u := &usage{pinned: r.pinned}
	for _, n := range r.needs {
		if number, ok := v.names.numbers[n.name]; ok {
			u.numbers, u.amounts = append(u.numbers, number), append(u.amounts, n.amount)
		}
	}
	return u
}

// itself is the request as it is placed already, or nil: a Pod is never its own
// neighbour, and a DaemonSet's next Pod takes the place of the one there.
func (v *view) itself(r *Request) *placed {
	p := v.known(r)
	if _, gone := v.moved[p]; gone {
		return nil
	}
	return p
}

func (v *view) known(r *Request) *placed {
	key := types.NamespacedName{Namespace: r.object.Namespace, Name: r.object.Name}
	switch {
	case r.daemon.set != "":
		return v.daemons[r.daemon]
	case r.made:
		return nil
	case r.kind == machine:
		return same(v.machines[key], r)
	default:
		return same(v.pods[key], r)
	}
}

// same is what is placed under the request's name, unless the UIDs tell them
// apart.
func same(p *placed, r *Request) *placed {
	if p != nil && p.uid != "" && r.uid != "" && p.uid != r.uid {
		return nil
	}
	return p
}
