package placement

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// attractedBeside is required affinity where another guest may be the neighbour
// that is wanted; nil when none can be. A neighbour that is there already serves
// as before, and so does being the first of a group.
func (g *guest) attractedBeside(guests []*guest, alone judge) func(*node, []bool) *Reason {
	friends := g.friends(guests)
	if alone == nil || len(friends) == 0 {
		return nil
	}
	topologies := g.topologiesOf(g.request.attract)
	return func(n *node, here []bool) *Reason {
		reason := alone(n)
		if reason != nil && among(friends, here) > 0 && inAll(topologies, n) {
			return nil
		}
		return reason
	}
}

// friends are the guests that all of a guest's required affinity terms want.
func (g *guest) friends(guests []*guest) []int {
	if len(g.request.attract) == 0 {
		return nil
	}
	var friends []int
	for at, other := range guests {
		if other != g && matchesEvery(g.request.attract, other.itself) {
			friends = append(friends, at)
		}
	}
	return friends
}

func matchesEvery(terms []*term, p *placed) bool {
	for _, t := range terms {
		if !t.reaches(p.alike.in) || !t.selector.Matches(p.alike.labels) {
			return false
		}
	}
	return true
}

func (r *run) topologiesOf(terms []*term) []*topology {
	all := make([]*topology, len(terms))
	for i, t := range terms {
		all[i] = r.topology(t.key)
	}
	return all
}

// among is how many of some guests are here.
func among(some []int, here []bool) int64 {
	count := int64(0)
	for _, at := range some {
		if here[at] {
			count++
		}
	}
	return count
}

// quarrel is a guest that refuses another, or is refused by it, where the
// topology has a domain.
type quarrel struct {
	with     int
	topology *topology
	reason   *Reason
}

// repelledBeside is anti-affinity with the terms between the guests; nil when
// there are none.
func (g *guest) repelledBeside(guests []*guest, alone judge) func(*node, []bool) *Reason {
	quarrels := g.quarrels(guests)
	if len(quarrels) == 0 {
		return nil
	}
	return func(n *node, here []bool) *Reason {
		if alone != nil {
			if reason := alone(n); reason != nil {
				return reason
			}
		}
		for i := range quarrels {
			if q := &quarrels[i]; here[q.with] && q.topology.at(n) != none {
				return q.reason
			}
		}
		return nil
	}
}

func (g *guest) quarrels(guests []*guest) []quarrel {
	var own, theirs []quarrel
	in := g.itself.alike.in
	for at, other := range guests {
		if other == g {
			continue
		}
		for _, t := range g.request.avoid {
			if t.reaches(other.itself.alike.in) && t.selector.Matches(other.itself.alike.labels) {
				own = append(own, quarrel{at, g.topology(t.key), refusedBy(t, other.itself)})
			}
		}
		for _, t := range other.request.repel {
			if t.matches(in, g.request.labels) {
				theirs = append(theirs, quarrel{at, g.topology(t.key), &Reason{
					Rule: theirsPrefix + t.text, Term: t.text, Blocking: other.itself.key()}})
			}
		}
	}
	return append(own, theirs...)
}

// spreadBeside is topology spread where other guests count as well; nil when the
// guest has no hard constraint.
func (g *guest) spreadBeside(guests []*guest) func(*node, []bool) *Reason {
	skews := g.skews(guests)
	if len(skews) == 0 {
		return nil
	}
	return func(n *node, here []bool) *Reason {
		for _, c := range skews {
			if reason := c.judge(n, among(c.others, here)); reason != nil {
				return reason
			}
		}
		return nil
	}
}

// skew is the state of one spread constraint, and which guests add to it.
type skew struct {
	*tally
	others   []int
	eligible []bool
	present  []bool
	few      bool  // fewer domains than the constraint wants: the least stays 0
	lowest   int32 // the domain with the least count, none when several have it
	second   int64 // the least count beside it
}

func (g *guest) skews(guests []*guest) []*skew {
	var hard []*spread
	for i := range g.request.spread {
		if c := &g.request.spread[i]; c.hard {
			hard = append(hard, c)
		}
	}
	skews := make([]*skew, 0, len(hard))
	for _, c := range hard {
		w := &skew{tally: g.tally(c, hard), eligible: g.eligible(c, hard)}
		w.present = g.domainsOf(w.topology, w.eligible)
		w.rank()
		for at, other := range guests {
			if other != g && c.counts(g.request, other.request) {
				w.others = append(w.others, at)
			}
		}
		skews = append(skews, w)
	}
	return skews
}

// counts says whether a request's constraint counts another.
func (c *spread) counts(of, other *Request) bool {
	return !c.selector.Empty() && of.object.Namespace == other.object.Namespace && c.selector.Matches(other.labels)
}

// rank finds the two least counts, so that the least of all is known at once when
// one domain has more.
func (w *skew) rank() {
	least, second, domains := int64(math.MaxInt32), int64(math.MaxInt32), int64(0)
	w.lowest = none
	for domain, there := range w.present {
		if !there {
			continue
		}
		domains++
		if count := w.counts[domain]; count < least {
			least, second, w.lowest = count, least, int32(domain)
		} else if count < second {
			second = count
		}
	}
	w.second, w.few = second, domains < w.spread.minDomains
}

// judge is the tally's, with more of the Pods that it counts on the node.
func (w *skew) judge(n *node, more int64) *Reason {
	domain := w.topology.at(n)
	if more == 0 || domain == none || !w.eligible[n.slot] {
		return w.tally.judge(n)
	}
	least := w.least
	if !w.few && domain == w.lowest {
		least = min(w.counts[domain]+more, w.second)
	}
	after := w.counts[domain] + more + w.self
	if after-least <= w.spread.maxSkew {
		return nil
	}
	return skewed(w.spread, w.topology.values[domain], after, least)
}

// taggedBeside is what the binary value requires where other guests bear tags
// that it speaks of; nil where none does.
func (g *guest) taggedBeside(guests []*guest, alone judge) func(*node, []bool) *Reason {
	others := g.tagged(guests)
	if len(others) == 0 {
		return nil
	}
	c := g.crowd()
	return func(n *node, here []bool) *Reason {
		all := slices.Clip(c.on[n])
		for _, other := range others {
			if here[other.at] {
				all = append(all, other.placed)
			}
		}
		if len(all) == len(c.on[n]) {
			return alone(n)
		}
		reason := constrained(c.ask.Look(slices.Values(all)).Refusal)
		if reason != nil {
			reason.Blocking = bearing(all, reason.Term)
		}
		return reason
	}
}

// bearing is the first Pod that bears the tag of a refusal to be without it.
func bearing(all []*binaryaffinity.Placed, term string) types.NamespacedName {
	var first types.NamespacedName
	for _, p := range all {
		if slices.ContainsFunc(p.Tags, func(tag string) bool { return term == string(binaryaffinity.RequireWithout)+" "+tag }) &&
			(first.Name == "" || p.Name < first.Name) {
			first = types.NamespacedName{Namespace: p.Namespace, Name: p.Name}
		}
	}
	return first
}

// tagged is another guest as the binary value sees it.
type tagged struct {
	at     int
	placed *binaryaffinity.Placed
}

func (g *guest) tagged(guests []*guest) []tagged {
	if !g.request.value.Requires() {
		return nil
	}
	c := g.crowd()
	var others []tagged
	for at, other := range guests {
		p := &binaryaffinity.Placed{
			Namespace: other.request.object.Namespace, Name: other.request.object.Name, UID: string(other.request.uid),
			Node: somewhere, Tags: other.request.tags,
		}
		if other != g && slices.ContainsFunc(p.Tags, c.names) && c.ask.Asker.Neighbour(p) {
			others = append(others, tagged{at, p})
		}
	}
	return others
}

// somewhere stands for the node on which guests meet: whoever has none is no
// neighbour.
const somewhere = "the node"
