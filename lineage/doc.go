// Package lineage follows an object up to the HelmRelease that deployed it, or
// says by name why it cannot.
//
// It promises that "could not read" is never reported as "unmanaged", that a
// walk is bounded however many owners a request claims, and that equal answers
// of the Getter give equal outcomes.
//
// Its neighbours supply the Getter: lineage/cluster reads a live cluster,
// lineage/manifest reads decoded files. webhook/review turns an Outcome into a
// verdict; it alone knows who made the request, so it alone decides that a
// mirror Pod is not governed.
//
// It never reads a clock, logs, or sees a client, and it never changes an
// Object: Getters may share theirs among all callers.
//
// # Limits
//
// Flux labels can be written by whoever writes the object. A tenant who may
// create Pods directly can claim another release of the same namespace, or
// none; and a ReplicaSet adopts a bare Pod that fits its selector. A lineage is
// therefore never what keeps a tenant in: the fence is, and it depends on the
// namespace alone.
package lineage
