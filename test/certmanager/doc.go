// Command certmanager runs cert-manager's own controllers, as its module has
// them, in one process: SelfSigned and CA issuers, the controllers of Certificates
// and of their requests, and the injector of CAs into webhook configurations.
//
//	KUBECONFIG=... certmanager [--health-address 127.0.0.1:PORT]
//
// Its promise: what it does to Issuers, Certificates, Secrets and caBundles is
// done by cert-manager's code and by nothing else. cert-manager's programs are not
// to be had as Go modules; this is the wiring that theirs have.
//
// What it leaves out: the other issuers, ACME, Ingress and Gateway, the election
// of a leader, and cert-manager's own webhook, which checks its kinds (a duration
// below an hour passes here). Its CRDs must be installed before it starts: they
// are in the folder deploy/crds of its module.
package main
