package placement

import v1 "k8s.io/api/core/v1"

// A step is about what it costs to look at one node or one placed Pod once. Steps are
// counted and not timed, so that the same question of the same snapshot is always
// answered or always cut short.

// spend takes steps before the work is done, and is false once there are none left:
// then the work is left undone, and what was found so far is no answer.
func (v *view) spend(steps int) bool {
	if v.limit <= 0 {
		return true
	}
	v.spent += int64(steps)
	return !v.exhausted()
}

// exhausted says that more steps were asked for than there were.
func (v *view) exhausted() bool { return v.limit > 0 && v.spent > v.limit }

// cutShort is a preview of which nothing is known.
func (p *Preview) cutShort() *Preview {
	return &Preview{
		Object: p.Object, Profile: p.Profile, Priority: p.Priority, Forced: p.Forced, Informative: true,
		Total: p.Total, Unmodelled: p.Unmodelled, Cut: true,
	}
}

// nodeSteps is what one node costs, by what the Pod says of nodes: stages, and texts
// that are written where they drop the node.
const nodeSteps = 8

// dropSteps is what it costs more to word why a node is dropped, as most are apart.
const dropSteps = 40

func (r *Request) filterSteps() int {
	return nodeSteps + len(r.nodeSelector) + len(r.affinityText)/16 + len(r.tolerations) + 2*len(r.needs) + 4*len(r.ports)
}

// matchSteps is what it costs to ask a term about one set of labels or one namespace.
func (t *term) matchSteps() int {
	steps := 1 + len(t.namespaces)/4
	own, _ := t.selector.Requirements()
	steps += len(own)
	if t.wide != nil {
		wide, _ := t.wide.Requirements()
		steps += len(wide)
	}
	return steps
}

// textSteps is what it costs to write a term where it drops a node.
func (t *term) textSteps() int { return 1 + len(t.text)/64 }

// preferredSteps is what preferred node affinity costs at each node.
func preferredSteps(a *v1.Affinity) int {
	if a == nil || a.NodeAffinity == nil {
		return 0
	}
	steps := 0
	for _, term := range a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
		steps += 1 + len(term.Preference.MatchExpressions) + len(term.Preference.MatchFields)
	}
	return steps
}

// lookSteps is what a group's labels add to what a selector costs.
func (l labelSet) lookSteps() int { return 2 + len(l.ends)/16 }
