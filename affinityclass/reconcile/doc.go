// Package reconcile does what only the elected replica of the server does: it
// keeps the status and the in-use finalizer of AffinityClasses and the status of
// AffinityExemptions, and touches the parts of an application whose class changed.
//
// It judges no request and derives no class: a release that is touched is derived
// anew at its admission. Package store tells it the policy and reads live for it;
// which releases and tenants refer to which class it is told through Usage, and
// which releases change through Children.
package reconcile
