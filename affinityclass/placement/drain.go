package placement

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Drained is a snapshot in which one node is being drained: it is cordoned and a
// candidate for nobody, tolerations or not, and the Pods that left it are gone
// from everywhere. The node itself is still there, so its zone and its name still
// count as domains, as they do for kube-scheduler until it is deleted.
//
// It reads the snapshot and never changes it; it is good until the snapshot
// changes.
type Drained struct {
	snapshot *Snapshot
	node     *node // nil when the snapshot has no such node
	gone     map[*placed]struct{}
	away     []*placed // of other nodes, and not there either
	stay     []*node   // the other nodes, by name
}

// Drain is the snapshot with a node that is being drained, once these of its Pods
// have left. With no Pods it is the moment when the node is cordoned. A Pod of
// another node among them is taken away as well.
func (s *Snapshot) Drain(nodeName string, pods []types.NamespacedName) *Drained {
	d := &Drained{snapshot: s, stay: s.order, gone: map[*placed]struct{}{}}
	if i, ok := s.find(nodeName); ok {
		d.node = s.order[i]
		d.stay = slices.Delete(slices.Clone(s.order), i, i+1)
	}
	for _, key := range pods {
		switch p, ok := s.pods[key]; {
		case !ok:
		case p.node == d.node:
			d.gone[p] = struct{}{}
		default:
			d.away = append(d.away, p)
		}
	}
	return d
}

// Preview says where one request could land, the drained node excepted.
func (d *Drained) Preview(r *Request, options Options) *Preview {
	return d.view().preview(r, options)
}

// Rank places the requests for the Pods that left, each seeing those placed
// before it, as the function Rank does. What the Pods took of their quotas is
// free again.
func (d *Drained) Rank(requests []*Request, options Options) []*Preview {
	v := d.view()
	for _, r := range requests {
		v.unclaim(r)
	}
	return v.rank(requests, options)
}

// OverQuota is why a quota of its namespace refuses a request on every node alike,
// nil when none does. What the Pods that left took of it is not given back.
func (d *Drained) OverQuota(r *Request) *Reason {
	v := d.view()
	run := &run{view: v, request: r}
	for _, q := range v.quotasOf(r) {
		if reason := run.exceeds(q); reason != nil {
			return reason
		}
	}
	return nil
}

func (d *Drained) view() *view {
	v := &view{Snapshot: d.snapshot, drained: d}
	for _, p := range d.away {
		v.take(p)
	}
	return v
}

// staying are the nodes without the drained one.
func (v *view) staying(nodes []*node) []*node {
	d := v.drained
	if d == nil || d.node == nil {
		return nodes
	}
	if len(nodes) == len(v.order) {
		return d.stay
	}
	return slices.DeleteFunc(nodes, func(n *node) bool { return n == d.node })
}

// departed says whether a placed Pod has left the drained node.
func (v *view) departed(p *placed) bool {
	if v.drained == nil || p.node != v.drained.node {
		return false
	}
	_, gone := v.drained.gone[p]
	return gone
}

// cordonedFor says whether the drained node's taint keeps the request away.
func (r *run) cordonedFor(n *node) bool {
	if r.drained == nil || n != r.drained.node {
		return false
	}
	return !tolerates(r.request.tolerations, &v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
}

// unclaim gives back what the Pod behind a request takes of its quotas.
func (v *view) unclaim(r *Request) {
	takes := r.takes()
	for _, q := range v.quotasOf(r) {
		if v.claimed == nil {
			v.claimed = map[*quota]map[string]int64{}
		}
		if v.claimed[q] == nil {
			v.claimed[q] = map[string]int64{}
		}
		for name, amount := range takes {
			v.claimed[q][name] -= amount
		}
	}
}
