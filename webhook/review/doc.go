// Package review is the one decision: a Request in, a Verdict out.
//
// The admission server and affinityctl reach every verdict through it, so what
// one allows the other allows. It asks lineage for the release of a Pod and
// package policy for the release's class, lets the class check the Pod, and
// words the answer. It reads nothing itself: hops, live classes and what is
// placed where come through the interfaces Reads, Policies and State.
//
// Its stance: what could not be told is Unknown, never allowed; a denial rests
// on what was read live during this very review; nothing that a tenant can
// write on a Pod is evidence.
package review
