// Command fluxlike installs charts from HelmReleases, as Flux's helm-controller
// does. It stands in for that controller, which is not to be had as a Go module,
// so that tests see real Helm releases: rendered, labelled, applied, upgraded,
// rolled back and uninstalled by the Helm SDK, with hooks, on a real API server.
//
//	KUBECONFIG=... fluxlike --charts DIR [--health-address 127.0.0.1:PORT]
//
// Its promise: for what it supports, the objects in the cluster, the Helm
// storage, and the conditions, failure counts and observedGeneration of the
// HelmRelease go through the states that helm-controller 1.6 takes them through.
// Every rendered object, hooks included, gets helm-controller's two labels that
// name the HelmRelease and no other label of it; then Helm adds its own. A change
// of the spec, or of the annotation reconcile.fluxcd.io/requestedAt, is acted on
// at once, unless an action of that release is still waiting for its objects.
//
// A chart is a folder below DIR: the path in spec.chart.spec.chart, or the name in
// spec.chartRef. Dependencies with a file:// repository are read from there, as
// source-controller packs them. With spec.chart.spec.reconcileStrategy Revision a
// change of the chart's files is a new version; otherwise only Chart.yaml says so.
//
// What it leaves out: sources and their artifacts (sourceRef is not read),
// impersonation, spec.kubeConfig (such a release is never deployed, and says
// so), post-renderers and valuesFiles (refused, since the objects would differ),
// Helm tests, drift detection, health check expressions, readiness expressions of
// dependencies, upgrades of CRDs, moves to another target namespace or release
// name, notifications, and metrics. The CRD of HelmRelease must be installed
// before it starts: test/cluster/crd.
package main
