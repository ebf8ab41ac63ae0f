package placement

import "github.com/cozystack/affinityclass/affinityclass/binaryaffinity"

// Constraint is the answer of Constrain: what the stages that are about the node
// alone left, and what the binary value's requirements left of that.
type Constraint struct {
	Total  int // nodes there are
	Before int // nodes left before the stage affinity_constraints
	Left   int // nodes left after it
	// Stages are node_name, unschedulable, node_selector, taints and
	// affinity_constraints, up to the one that left nothing.
	Stages []Stage
	// FirstOfGroup are the tags that the Pod requires to be with and bears
	// itself, while no placed Pod of its namespace bears them on a node that
	// exists: it would begin a
	// group of its own like, and waits for its own like. Sorted.
	FirstOfGroup []string
	// Neighbours is how many placed Pods were read.
	Neighbours int
}

// Broken says that it is the requirements that leave no node: those before them
// left some. A node that another stage dropped says nothing about them, so with
// none left before them the answer is no.
func (c *Constraint) Broken() bool { return c.Before > 0 && c.Left == 0 }

// Refused are the nodes that the requirements dropped, by name; all of them when
// Broken, of those left before.
func (c *Constraint) Refused() []Drop {
	if last := len(c.Stages) - 1; last >= 0 && c.Stages[last].Name == binaryaffinity.Stage {
		return c.Stages[last].Dropped
	}
	return nil
}

// Reasons aggregates every dropped node as Preview.Reasons does, those of the
// stages before too: "2 node(s): require_with_tag web: no Pod there bears it".
func (c *Constraint) Reasons() []string { return (&Preview{Stages: c.Stages}).Reasons() }

// Constrain asks whether the binary value of a Pod leaves it a node, for the
// state check of its admission: the stages node_name, unschedulable,
// node_selector and taints, then affinity_constraints. Capacity is not looked at
// and nothing is scored, since a shortage is no conflict. It is nil, and no node
// and no neighbour was read, when the value requires nothing. Nodes and bearers
// of the tags are all that it reads, so a snapshot of these alone is enough.
func (s *Snapshot) Constrain(request *Request) *Constraint {
	if !request.value.Requires() {
		return nil
	}
	v := &view{Snapshot: s}
	r := &run{view: v, request: request, self: v.itself(request), scratch: v.borrow()}
	defer v.giveBack(r.scratch)
	stages, left := r.through([]filter{
		{"node_name", nodeName}, {"unschedulable", unschedulable},
		{"node_selector", nodeSelector}, {"taints", taints},
		{binaryaffinity.Stage, affinityConstraints},
	}, r.considered())
	c := &Constraint{Total: len(s.order), Left: len(left), Stages: stages, Neighbours: r.crowd().read}
	c.Before = c.Left + len(c.Refused())
	c.FirstOfGroup = r.firstOfGroup()
	return c
}

func (r *run) firstOfGroup() []string {
	return r.crowd().ask.FirstOfGroup(r.request.tags, r.crowd().borne)
}
