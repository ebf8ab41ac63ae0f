// Package nodes tells of each node what bears on who may run there: readiness,
// taints, addresses and the AffinityClasses it belongs to. It is pure: where
// the objects came from, files or a cluster, is its caller's business.
package nodes

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Node is one line of the answer; with its JSON.
type Node struct {
	Name        string   `json:"name"`
	Ready       string   `json:"ready"` // True, False or Unknown
	Schedulable bool     `json:"schedulable"`
	Taints      []string `json:"taints"`    // key[=value]:Effect, as the node lists them
	Addresses   []string `json:"addresses"` // as the node lists them
	Classes     []string `json:"classes"`   // sorted
}

// List answers for every node, sorted by name. A class that cannot be compiled
// has no nodes.
func List(all []corev1.Node, classes []v1alpha1.AffinityClass) []Node {
	var compiled []*affinityclass.Class
	var names []string
	for i := range classes {
		if class, err := affinityclass.Compile(&classes[i]); err == nil {
			compiled, names = append(compiled, class), append(names, classes[i].Name)
		}
	}
	found := make([]Node, 0, len(all))
	for i := range all {
		n := describe(&all[i])
		for at, class := range compiled {
			if class.Has(&all[i]) {
				n.Classes = append(n.Classes, names[at])
			}
		}
		slices.Sort(n.Classes)
		found = append(found, n)
	}
	slices.SortFunc(found, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	return found
}

func describe(node *corev1.Node) Node {
	n := Node{Name: node.Name, Ready: string(corev1.ConditionUnknown), Schedulable: !node.Spec.Unschedulable,
		Taints: []string{}, Addresses: []string{}, Classes: []string{}}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			n.Ready = string(c.Status)
		}
	}
	for i := range node.Spec.Taints {
		n.Taints = append(n.Taints, taintText(&node.Spec.Taints[i]))
	}
	for _, a := range node.Status.Addresses {
		n.Addresses = append(n.Addresses, a.Address)
	}
	return n
}

func taintText(t *corev1.Taint) string {
	if t.Value == "" {
		return t.Key + ":" + string(t.Effect)
	}
	return t.Key + "=" + t.Value + ":" + string(t.Effect)
}
