// Package placement says on which nodes a Pod could land, which of them it would
// take, and why not the others.
//
// A Snapshot holds what is there: nodes, placed Pods and Machines, namespaces,
// and what else bears on a placement. It is kept by events; that of a Pod takes
// time that does not depend on its size, that of a node moves the list of nodes.
// A Request is a Pod that is to be placed; it is made from a Pod, from a
// workload's template or from a Kairon Machine. Rank places Requests by priority,
// each seeing those before it, and answers with a Preview for each.
//
// The filters are those of kube-scheduler: of a Pod that uses nothing listed in
// Preview.Unmodelled, the candidates are exactly the nodes that kube-scheduler
// would find feasible. The scores are the profile's own. Last of the filters, and
// before the scores, stands what the Pod's binary value asks of its neighbours'
// tags; who is a neighbour is said by package binaryaffinity alone.
//
// It is pure: no client, no clock, no randomness, and nothing of the caller's is
// changed. The same snapshot and request give the same answer, whatever order
// the snapshot was filled in. It never moves what runs, and never decides an
// admission. Package workload finds templates for it; package surge asks it
// about drains.
package placement
