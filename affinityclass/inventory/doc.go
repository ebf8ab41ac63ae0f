// Package inventory keeps what bears on a placement current, on every replica: a
// placement.Snapshot that follows nodes and Pods by watch, and live reads of the
// same for a review that is about to deny.
//
// It keeps as little as it is asked to. With TagsOnly that is the nodes and the
// placed Pods that bear tags, so that a Pod without one costs no memory; with
// Previews it is whatever a preview reads. Objects go from a reflector straight
// into the snapshot, cut to what is needed, and are held nowhere else: no informer
// keeps a second copy of a cluster's Pods.
//
// It judges nothing. Its neighbours are placement, which it fills, and
// webhook/review, which reads it.
package inventory
