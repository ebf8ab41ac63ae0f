// Package affinityclass is a class compiled once, that can check a Pod: does
// every node that the Pod's own constraints allow belong to the class? And an
// exemption compiled once: does it cover the creation of a Pod, at a moment that
// is passed in?
//
// It is pure: no client, no context, no clock, no logger. Package policy keeps
// compiled classes; package webhook/review asks them. It never decides what a
// violation means for a request (deny, warn, record): that is the review's.
package affinityclass
