// Package binaryaffinity knows what a Pod asks of the Pods it lands beside: tags
// to require or prefer, with or without. It reads the value that a Pod bears,
// prints it, translates it to the terms that kube-scheduler enforces, and counts
// the neighbours that a placement would have.
//
// Placement makes a filter stage and tiers of it; webhook/review refuses what
// cannot be read, has the terms added and asks whether any node is left. What an
// answer means for a request is not decided here.
//
// A tag is a label of a Pod, never a property of a node, and counts only on Pods
// that are placed, not finished and of the asking Pod's own namespace. That is
// said once, in Asker.Neighbour; filter and scorer have no rule of their own.
//
// The package is pure: no clock, no randomness, no I/O, no locks. What comes out
// of a map is sorted before it is shown.
package binaryaffinity
