// Package charts installs charts on a control plane as a platform does: from
// HelmReleases, and with an operator for the databases in them.
//
// Its promise: what a chart renders is deployed, labelled, upgraded and reported
// on by a release controller, and a database's Pods are made by its operator,
// both as processes of their own that know nothing of AffinityClasses. The two
// are test/cluster/fluxlike and test/cluster/pgop, whose comments say what they
// stand in for. Package platform comes first: it installs the kinds that they
// watch. The charts are the caller's; those in charts/examples are meant for it.
//
// The package's tests watch the webhook judge what such charts bring.
package charts
