// Package store keeps the policy of a cluster current, on every replica: a
// policy.Snapshot that follows AffinityClasses, AffinityExemptions and the labels
// of namespaces by watch, and live reads of classes and exemptions for a review
// that is about to deny, and of the releases that name a class.
//
// It judges nothing. Its neighbours are policy, which it fills, and
// webhook/review, which reads it.
package store
