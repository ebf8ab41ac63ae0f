// Package surge sizes the placeholder Pod that reserves room before a node is
// drained, and audits what that reservation is worth.
//
// Reserve says what the placeholder asks: the sum of what the node's Pods request,
// or, opted in, a whole node's worth. Audit says which hosts could take it, and
// whether the Pods that leave the node could really run there, or anywhere else.
//
// A whole node's worth narrows the set of hosts that take the reservation and then
// refuse a Pod. It does not empty that set, and the audit names what is left of it.
//
// It is pure: no client, no clock, no randomness, and nothing of the caller's is
// changed. Where a Pod could run is asked of package placement, which knows
// nothing of drains beyond a node that is leaving. Nothing is evicted, cordoned or
// created here; affinityctl prints the plan and a person carries it out.
package surge
