// Package controlplane starts a real Kubernetes control plane on loopback and
// ends it again: etcd, kube-apiserver, kube-controller-manager, kube-scheduler,
// and KWOK in the place of the kubelets.
//
// Its promise: whatever it started is gone when the control plane is stopped or
// the process that started it ends, in whatever way that happens, and the logs
// are kept when something failed. It finds free ports, works in a directory of
// its own, makes its certificates itself, and speaks on 127.0.0.1 only.
//
// The demo, the end-to-end, fault and parity tests stand on it. It knows
// nothing of AffinityClasses: what is installed into the control plane is its
// users' business. It never builds and never downloads: the programs come from
// bin/ (`make control-plane`), or from $KUBEBUILDER_ASSETS where they are found
// there, and a missing one is an error, never a reason to skip a test.
package controlplane
