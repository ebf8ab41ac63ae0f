package nodeset_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/nodeset"
)

// A class of two zones, and a Pod that would also run in a third.
func ExampleSubset() {
	const zone = "topology.kubernetes.io/zone"
	in := func(zones ...string) *corev1.NodeSelector {
		return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: zone, Operator: corev1.NodeSelectorOpIn, Values: zones},
			},
		}}}
	}
	dc12 := nodeset.Of(nil, in("dc1", "dc2")).Compile()

	for _, pod := range []nodeset.Set{
		nodeset.Of(map[string]string{zone: "dc2"}, nil),
		nodeset.Of(nil, in("dc1", "dc3")),
		nodeset.Of(nil, nil),
	} {
		switch answer := nodeset.Subset(pod, dc12).(type) {
		case nodeset.Inside:
			fmt.Println("every node it accepts is in the class")
		case nodeset.Outside:
			fmt.Printf("it accepts a node with %s, which is not\n", answer.Witness)
		case nodeset.Unproven:
			fmt.Println("could not prove it")
		}
	}
	// Output:
	// every node it accepts is in the class
	// it accepts a node with topology.kubernetes.io/zone=dc3, which is not
	// it accepts a node with no labels, which is not
}
