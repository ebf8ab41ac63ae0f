// Package reconcile does what only the elected replica of the server does: it
// keeps the status and the in-use finalizer of AffinityClasses, and the status
// of AffinityExemptions.
//
// It judges no request. Package store tells it the policy and reads live for it;
// which releases name which class it is told through Usage.
package reconcile
