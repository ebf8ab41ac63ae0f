package placement

import "github.com/cozystack/affinityclass/affinityclass/binaryaffinity"

// Lodging is how requests fare together on one node.
type Lodging struct {
	Node    string
	Refused []Refused // by priority; the requests not named here are accepted
}

// Refused is a request that a node does not take beside those before it.
type Refused struct {
	Request int // its place among those given to Together
	Stage   string
	Reason  *Reason
}

// Together judges, for each of some nodes by itself, whether all requests could
// run there at once: one after another by priority, each beside those that the
// node has accepted before. Nodes that do not exist, and the drained one, are
// left out. Quotas are not judged: they hold for every node alike, and Rank
// judges them.
//
// What placed Pods and other nodes have to say is asked once for all nodes; only
// what the requests say to each other is asked node by node. So a hundred requests
// on a thousand nodes cost about what a hundred previews do.
func (d *Drained) Together(requests []*Request, nodes []string) []Lodging {
	v := d.view()
	if nodes == nil {
		nodes = []string{}
	}
	among := v.staying((&run{view: v, options: Options{Nodes: nodes}}).considered())
	guests := v.guests(requests, among)
	defer func() {
		for _, g := range guests {
			v.giveBack(g.scratch)
		}
	}()
	lodgings := make([]Lodging, 0, len(among))
	v.onNode = make([]*node, len(v.slots))
	house := house{here: make([]bool, len(guests))}
	for _, n := range among {
		lodgings = append(lodgings, v.lodge(n, guests, &house))
	}
	return lodgings
}

// house is the one node that is being filled.
type house struct {
	here  []bool // by guest
	taken node
}

func (v *view) lodge(n *node, guests []*guest, h *house) Lodging {
	clear(h.here)
	h.taken = node{}
	for _, p := range v.drained.away {
		if p.node == n {
			h.taken.bear(p, -1)
		}
	}
	v.onNode[n.slot] = &h.taken
	defer func() { v.onNode[n.slot] = nil }()
	lodging := Lodging{Node: n.name}
	for at, g := range guests {
		if stage, reason := g.judge(n, h.here); reason != nil {
			lodging.Refused = append(lodging.Refused, Refused{g.index, stage, reason})
			continue
		}
		h.here[at] = true
		h.taken.bear(g.itself, 1)
		h.ports(g)
	}
	return lodging
}

func (h *house) ports(g *guest) {
	for _, port := range g.request.ports {
		if h.taken.ports == nil {
			h.taken.ports = map[hostPort][]*placed{}
		}
		h.taken.ports[port] = append(h.taken.ports[port], g.itself)
	}
}

// guest is a request that shares a node with others.
type guest struct {
	*run
	index  int
	itself *placed // as it would be once accepted
	asks   []question
}

// question is a stage that has something to say to a guest: beside is asked with
// the guests that are there already.
type question struct {
	stage  string
	beside func(n *node, here []bool) *Reason
	why    judge // when no guest bears upon it
}

func (g *guest) judge(n *node, here []bool) (string, *Reason) {
	for i := range g.asks {
		q := &g.asks[i]
		var reason *Reason
		if q.beside != nil {
			reason = q.beside(n, here)
		} else {
			reason = q.why(n)
		}
		if reason != nil {
			return q.stage, reason
		}
	}
	return "", nil
}

// guests prepares the requests, by priority.
func (v *view) guests(requests []*Request, among []*node) []*guest {
	var guests []*guest
	for _, i := range v.byPriority(requests) {
		r := &run{view: v, request: requests[i], self: v.itself(requests[i]), scratch: v.borrow()}
		guests = append(guests, &guest{run: r, index: i, itself: v.settled(requests[i])})
	}
	for _, g := range guests {
		for _, f := range filters(g.request.kind) {
			if q := g.question(f, guests, among); q.why != nil || q.beside != nil {
				g.asks = append(g.asks, q)
			}
		}
	}
	return guests
}

// question prepares a stage. Those that look at one node alone see the guests by
// what they take of it; the others are told of them.
func (g *guest) question(f filter, guests []*guest, among []*node) question {
	q := question{stage: f.name}
	if f.name == "topology_spread" && g.request.kind == pod {
		q.beside = g.spreadBeside(guests)
		return q
	}
	q.why = f.prepare(g.run, among)
	switch {
	case g.request.kind == machine:
	case f.name == "pod_affinity":
		q.beside = g.attractedBeside(guests, q.why)
	case f.name == "pod_anti_affinity":
		q.beside = g.repelledBeside(guests, q.why)
	case f.name == binaryaffinity.Stage:
		q.beside = g.taggedBeside(guests, q.why)
	}
	return q
}
