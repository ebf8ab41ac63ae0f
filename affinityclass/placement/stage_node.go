package placement

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
)

// nodeName: a request that names its node takes no other.
func nodeName(r *run, _ []*node) judge {
	want := r.request.nodeName
	if want == "" {
		return nil
	}
	reason := &Reason{Rule: "nodeName " + want + " asked", Term: "nodeName"}
	return func(n *node) *Reason {
		if n.name == want {
			return nil
		}
		return reason
	}
}

// nodeReady: Kairon drops nodes that are not Ready. kube-scheduler does not; the
// node's taints say it to Pods.
func nodeReady(*run, []*node) judge {
	reason := &Reason{Rule: "node not Ready"}
	return func(n *node) *Reason {
		if n.ready {
			return nil
		}
		return reason
	}
}

// unschedulable: a cordoned node, unless the taint that stands for it is
// tolerated.
func unschedulable(r *run, _ []*node) judge {
	taint := v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	if r.request.kind == pod && tolerates(r.request.tolerations, &taint) {
		return nil
	}
	reason := &Reason{Rule: "node unschedulable", Fix: "uncordon the node"}
	return func(n *node) *Reason {
		if !n.cordoned {
			return nil
		}
		return reason
	}
}

// architecture: of a Machine that names one.
func architecture(r *run, _ []*node) judge {
	want := r.request.architecture
	if want == "" {
		return nil
	}
	reason := &Reason{Rule: "architecture " + want + " not satisfied", Term: v1.LabelArchStable + "=" + want}
	return func(n *node) *Reason {
		if n.object.Labels[v1.LabelArchStable] == want {
			return nil
		}
		return reason
	}
}

// nodeSelector: the plain selector and the required node affinity.
func nodeSelector(r *run, _ []*node) judge {
	request := r.request
	if request.affinityText == "" && len(request.nodeSelector) == 0 {
		return nil
	}
	keys := slices.Sorted(maps.Keys(request.nodeSelector))
	shared := map[string]*Reason{} // few distinct ways to fail, many nodes
	return func(n *node) *Reason {
		if r.meets(n) {
			return nil
		}
		rule, fix := request.unmet(keys, n)
		reason, ok := shared[rule]
		if !ok {
			reason = &Reason{Rule: rule, Term: request.affinityText, Fix: fix}
			shared[rule] = reason
		}
		return reason
	}
}

// unmet words what a node lacks: the first selector key that does not match and
// how many more, else the node affinity.
func (r *Request) unmet(keys []string, n *node) (rule, fix string) {
	first, more := "", 0
	for _, key := range keys {
		if value, ok := n.object.Labels[key]; ok && value == r.nodeSelector[key] {
			continue
		}
		if first == "" {
			first = key + "=" + r.nodeSelector[key]
		} else {
			more++
		}
	}
	switch {
	case first == "":
		return "node affinity " + r.affinityText + " not satisfied", ""
	case more > 0:
		return fmt.Sprintf("nodeSelector %s (and %d more) not satisfied", first, more), ""
	case r.affinityText != "": // which the label alone might not meet
		return "nodeSelector " + first + " not satisfied", ""
	default:
		return "nodeSelector " + first + " not satisfied", "label the node " + first
	}
}

// taints: NoSchedule and NoExecute that the request does not tolerate. The first
// names the node.
func taints(r *run, _ []*node) judge {
	type way struct {
		taint v1.Taint
		more  bool // others are not tolerated either
	}
	shared := map[way]*Reason{}
	return func(n *node) *Reason {
		if !n.tainted {
			return nil
		}
		i := untoleratedAt(n.taints, r.request.tolerations)
		if i < 0 {
			return nil
		}
		taint := v1.Taint{Key: n.taints[i].Key, Value: n.taints[i].Value, Effect: n.taints[i].Effect}
		this := way{taint, untoleratedAt(n.taints[i+1:], r.request.tolerations) >= 0}
		reason, ok := shared[this]
		if !ok {
			reason = tainted(&taint)
			if this.more {
				reason.Fix = ""
			}
			shared[this] = reason
		}
		return reason
	}
}

func tainted(taint *v1.Taint) *Reason {
	text := fmt.Sprintf("%s:%s", spell(taint), taint.Effect)
	return &Reason{
		Rule: fmt.Sprintf("untolerated %s taint %s", taint.Effect, spell(taint)),
		Term: text, Fix: "tolerate " + text,
	}
}
