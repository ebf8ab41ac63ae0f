package placement

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// explain judges every node at every stage: the whole matrix, and the one change
// that would help where one is enough. The stages of the preview keep what each
// dropped of all nodes; what remains is counted as without it.
func (r *run) explain(p *Preview, considered []*node) {
	p.Matrix = make([]NodeReport, len(considered))
	rows := make(map[string]*NodeReport, len(considered))
	for i, n := range considered {
		p.Matrix[i].Node = n.name
		rows[n.name] = &p.Matrix[i]
	}
	left := considered
	var stages []Stage
	for _, f := range r.everyStage() {
		why := f.prepare(r, left)
		_, dropped := divide(why, considered)
		left = without(left, dropped)
		for _, drop := range dropped {
			row := rows[drop.Node]
			row.Reasons = append(row.Reasons, StageReason{f.name, drop.Reason})
		}
		stages = append(stages, Stage{Name: f.name, Remaining: len(left), Dropped: dropped})
	}
	p.Stages = stages
	for i := range p.Matrix {
		row := &p.Matrix[i]
		if len(row.Reasons) == 1 || len(row.Reasons) == 2 && cordonAlone(row.Reasons) {
			row.Fix = row.Reasons[0].Reason.Fix
		}
	}
}

// cordonAlone says whether both reasons are the cordon: the field, and the taint
// that stands for it.
func cordonAlone(reasons []StageReason) bool {
	taint := v1.TaintNodeUnschedulable + ":" + string(v1.TaintEffectNoSchedule)
	return reasons[0].Stage == "unschedulable" && reasons[1].Stage == "taints" &&
		reasons[1].Reason.Term == taint && reasons[1].Reason.Fix != ""
}

// everyStage is the filters, and the quotas where there are some.
func (r *run) everyStage() []filter {
	all := filters(r.request.kind)
	if quotas := r.quotasOf(r.request); len(quotas) > 0 {
		all = append(all, filter{"quota", func(r *run, _ []*node) judge { return r.quota(quotas) }})
	}
	return all
}

// without is the nodes that were not dropped.
func without(nodes []*node, dropped []Drop) []*node {
	gone := make(map[string]bool, len(dropped))
	for _, drop := range dropped {
		gone[drop.Node] = true
	}
	return slices.DeleteFunc(slices.Clone(nodes), func(n *node) bool { return gone[n.name] })
}
