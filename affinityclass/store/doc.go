// Package store keeps the policy of a cluster current, on every replica: a
// policy.Snapshot that follows AffinityClasses by watch, and live reads of a
// class for a review that is about to deny.
//
// It judges nothing. Its neighbours are policy, which it fills, and
// webhook/review, which reads it.
package store
