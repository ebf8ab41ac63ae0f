// Package envtest holds the tests that need an API server and its etcd, and
// nothing else of a control plane: what the server makes of our CRDs, policies
// and webhook configurations.
//
// One environment serves the whole package; tests keep apart by the names of
// their objects. Its programs come from bin/ (`make control-plane`) or from
// $KUBEBUILDER_ASSETS. Where they are missing the tests fail: a test that skips
// itself proves nothing.
package envtest
