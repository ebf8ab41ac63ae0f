// Command pgop runs databases that consist of nothing but Pods. It stands in for
// CloudNativePG's operator, which is not to be had as a Go module, so that tests
// see an operator that creates Pods by itself, without a workload in between.
//
//	KUBECONFIG=... pgop [--health-address 127.0.0.1:PORT]
//
// Its promise: for a Cluster (postgresql.cnpg.io/v1) named db it creates the Job
// db-1-initdb and, when that is complete, the Pods db-1 to db-N, N being
// spec.instances, the first of them before the others. Job and Pods are owned by
// the Cluster, as their controller, and carry spec.affinity's nodeSelector,
// nodeAffinity and tolerations, and labels by which that operator's Pods are known.
// What is missing or has failed is created anew; when the placement changes, the
// Pods are replaced one by one, the first at the end. What the API server refuses
// is a Warning Event on the Cluster, its status.phase and phaseReason, and is tried
// again ever less often, up to every ten seconds.
//
// What it leaves out: PostgreSQL, volumes, Services, Secrets, the Jobs by which
// replicas join, switchovers, disruption budgets, affinity between Pods. Unlike
// that operator it replaces a Job that is not complete when the placement changes,
// so that a refused database comes up once its placement is right. The CRD of the
// Cluster must be installed before it starts: test/cluster/crd.
package main
