package placement

import (
	"slices"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// crowd is the neighbours that a request's binary value speaks of, by node, and
// what the request sees of them. It is read once a run, and costs what the
// request's own namespace has of Pods that bear tags.
type crowd struct {
	ask    binaryaffinity.Ask
	on     map[*node][]*binaryaffinity.Placed
	sights map[*node]binaryaffinity.Sight
	alone  binaryaffinity.Sight // of a node where no neighbour is
	read   int                  // placed Pods looked at
}

// tag notes a group whose Pods bear tags.
func (ns *namespace) tag(group *alike) {
	if len(group.tags) == 0 {
		return
	}
	if ns.tagged == nil {
		ns.tagged = map[*alike]struct{}{}
	}
	ns.tagged[group] = struct{}{}
}

// crowd is who is around, read when it is first asked for.
func (r *run) crowd() *crowd {
	if r.around == nil {
		r.around = r.gather()
	}
	return r.around
}

func (r *run) gather() *crowd {
	c := &crowd{
		ask: binaryaffinity.Ask{Value: r.request.value, Asker: r.request.asker()},
		on:  map[*node][]*binaryaffinity.Placed{},
	}
	for group := range r.space(r.request.object.Namespace).tagged {
		if !r.spend(1 + 4*len(group.tags)) {
			break
		}
		if slices.ContainsFunc(group.tags, c.names) {
			if !r.spend(4 * len(group.members)) {
				break
			}
			for _, p := range group.members {
				if !r.replaced(p) {
					c.meet(p)
				}
			}
		}
	}
	for _, p := range r.added {
		if slices.ContainsFunc(p.alike.tags, c.names) {
			c.meet(p)
		}
	}
	nobody := func(func(*binaryaffinity.Placed) bool) {}
	c.alone = c.ask.Look(nobody)
	c.sights = make(map[*node]binaryaffinity.Sight, len(c.on))
	for n, pods := range c.on {
		c.sights[n] = c.ask.Look(slices.Values(pods))
	}
	return c
}

// replaced says whether a placed Pod is there no more once the request is placed:
// it was added anew before, or the request takes its place under another name.
func (r *run) replaced(p *placed) bool {
	_, gone := r.moved[p]
	return gone || r.departed(p) || r.request.daemon.set != "" && r.isSelf(p)
}

// names says whether the value speaks of a tag at all. It spares reading those
// who make no difference, and decides nothing.
func (c *crowd) names(tag string) bool {
	for _, word := range binaryaffinity.Words() {
		if slices.Contains(c.ask.Value.Tags(word), tag) {
			return true
		}
	}
	return false
}

// meet takes a placed Pod in when it is a neighbour. A Machine is none, since
// kube-scheduler knows nothing of it.
func (c *crowd) meet(p *placed) {
	if p.kind != pod {
		return
	}
	c.read++
	there := &binaryaffinity.Placed{
		Namespace: p.alike.in.name, Name: p.name, UID: string(p.uid), Node: p.node.name, Tags: p.alike.tags,
	}
	if c.ask.Asker.Neighbour(there) {
		c.on[p.node] = append(c.on[p.node], there)
	}
}

// at is what the request sees on a node.
func (c *crowd) at(n *node) binaryaffinity.Sight {
	if sight, ok := c.sights[n]; ok {
		return sight
	}
	return c.alone
}

// borne says whether any neighbour bears a tag, on a node that exists: a Pod whose
// node is deleted may be told of for a while, and nobody can be beside it.
func (c *crowd) borne(tag string) bool {
	for n, pods := range c.on {
		if n.object != nil && slices.ContainsFunc(pods, func(p *binaryaffinity.Placed) bool { return p.Bears(tag) }) {
			return true
		}
	}
	return false
}
