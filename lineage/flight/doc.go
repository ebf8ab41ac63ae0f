// Package flight shares calls among callers that ask for the same thing at the
// same time.
//
// It promises that one call a key runs at a time; that a caller is never given
// the answer of a call that began before the moment it names; and that a call
// does not end because the caller that happened to start it gave up.
//
// lineage/cluster and affinityclass/store read through it. It knows nothing of
// what is called, and it is not a cache: an answer is gone once the pace has
// passed.
package flight
