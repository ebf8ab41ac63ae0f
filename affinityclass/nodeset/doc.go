// Package nodeset decides whether one set of nodes lies inside another, where
// both are written as Kubernetes writes them: a nodeSelector and required node
// affinity, which is an OR of terms over labels and metadata.name. When it does
// not, the answer shows a node that is in the one and not in the other.
//
// Package affinityclass asks it whether a Pod's own constraints imply a class
// or a fence. What an answer means for a request is not decided here.
//
// The meaning of a formula is that of
// k8s.io/component-helpers/scheduling/corev1/nodeaffinity, which is what the
// scheduler and the kubelet run; the tests hold every answer against it. Nodes
// are those that an API server stores: their labels and names are valid.
//
// # How
//
// What a term says of one key is a set over {absent} ∪ strings (values), so a
// term is a box: a product of such sets. For each key of the outer set, the
// strings that none of its terms tells apart are one atom (universe); a box is
// then a bit set per key, and "inner ⊆ outer" is "no inner box has a point
// outside all outer boxes", which a branching search decides (search), keeping
// the point with the fewest labels.
//
// The question is coNP-hard and the inner formula comes from strangers, so all
// work is counted in steps and ends at Budget. Counting steps rather than time
// keeps answers repeatable.
//
// The package is pure: no clock, no randomness, no global state, no I/O, and
// what comes out of a map is sorted before it matters.
package nodeset
