// Package workload knows where the kinds of Kubernetes keep their Pod
// templates: one table from a kind to the path.
//
// It is pure, and looks no further into an object than the path. Package review
// judges what it finds; affinityctl shows the path.
package workload
