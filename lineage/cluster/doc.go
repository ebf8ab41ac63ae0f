// Package cluster reads the hops of a walk from a live cluster.
//
// It promises that a walk over known owners costs no API call, that a new owner
// costs one however many Pods wait for it, and that a denial can be based on
// reads that began after its review did (Reads.Live). What it could not read is
// an error of its own kind, never "not found".
//
// HelmReleases come from a watch (ReleaseCache), which the server starts on
// every replica. Nobody wants a watch on every other kind of a cluster, so other
// owners are read as they come and remembered for a while under namespace, kind,
// name and uid: the uid alone would let one namespace borrow another's owner.
// Only what was found is remembered, except that a kind the API server does not
// serve is remembered to be none for 30 s.
//
// Live reads are shared fairly: those of one namespace take from a bucket and a
// number of places of its own, so that its noise cannot starve another's reviews.
//
// Secrets are never read, not even their metadata: a role that could would be a
// role to read Secrets. An owner of that kind is ErrForbidden.
//
// An API server that is still coming up is not believed when it forbids a read or
// serves no such kind: that is "could not read now".
//
// Its neighbours are lineage, which walks, and lineage/flight, which shares
// calls. It never decides anything about a Pod, never writes to the cluster, and
// does not log or count: an Observer may.
package cluster
