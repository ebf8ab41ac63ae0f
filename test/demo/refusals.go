package main

// What the webhook says of a Pod without its selector, and of a class that is
// not there; affinityctl must say the same.
const (
	needsZone = `AffinityClass "dc1" requires nodeSelector topology.kubernetes.io/zone=dc1 (found none)`
	noClass   = `AffinityClass "dc2" not found; have the platform admin create it, or name another class on the application`
)

func theForgetfulChart() step {
	return step{"A chart that forgets its node selector is refused", []act{
		do("The Deployment itself is let in: it is no Pod yet.",
			"kubectl apply -f worker.yaml", shows("deployment.apps/worker created")),
		see("Its ReplicaSet cannot create a single Pod, and says so.",
			"kubectl get events -n shop --field-selector reason=FailedCreate",
			rows(1, "Warning", "FailedCreate", "replicaset/worker-", "Error creating: admission webhook", needsZone)),
		see("Who deploys through Flux looks at the HelmRelease: the same is said there.",
			"kubectl events -n shop --for helmrelease/web", rows(1, "Warning", "ContractBroken", "HelmRelease/web", needsZone)),
		see("The exact message:",
			`kubectl events -n shop --for helmrelease/web -o jsonpath='{.items[0].message}'`,
			exactly("Pod shop/worker-* (HTTPCache web): "+needsZone+"; set it in spec.nodeSelector of the Pods of Deployment worker")),
		see("Nothing of it runs, and the rest of the application is not disturbed.",
			"kubectl get deployments -n shop", rows(2), shows("web      3/3", "worker   0/2")),
	}}
}

func theMissingClass() step {
	return step{"A class that does not exist yet is a conflict that can pass", []act{
		do("A second application names class dc2, which nobody has made.",
			"kubectl apply -f release-db.yaml -f db.yaml", shows("db created")),
		see("Its Pods are refused too.",
			`kubectl events -n shop --for helmrelease/db -o jsonpath='{.items[0].message}'`,
			exactly("Pod shop/db-* (Postgres db): "+noClass)),
		see("The code is 409 Conflict: it may pass later. kubectl shows it where one asks about a single Pod; this is a dry run.",
			"kubectl create --dry-run=server -f db-pod.yaml", shows("(Conflict)", noClass)).exits(1),
		see("affinityctl gives the same answer from the files alone.",
			"affinityctl check --classes class-dc1.yaml -f release-db.yaml -f db.yaml",
			shows("Denied", "409", "Deployment shop/db", noClass)).exits(1),
		do("The admin makes the class.",
			"kubectl apply -f class-dc2.yaml", shows("affinityclass.cozystack.io/dc2 created")),
		do("The ReplicaSet would try again by itself, but later each time. Its Deployment makes a new one, which tries at once.",
			"kubectl delete replicaset -n shop -l app=db", shows(`replicaset.apps "db-`, "deleted")),
		see("The retry passes.",
			"kubectl get pods -n shop -l app=db -L apps.cozystack.io/affinity-class", rows(2, "db-", "Running", " dc2")),
		see("They run in dc2, and not on the node with the taint.",
			"kubectl get pods -n shop -l app=db \\\n  -o custom-columns=POD:.metadata.name,NODE:.spec.nodeName", rows(2, " dc2-")),
	}}
}

func theShell() step {
	return step{"The same answers from a shell, before anything is applied", []act{
		see("affinityctl decides by the server's own code. Here on all the files of the story: exit code 1, since one is denied.",
			"affinityctl check -f .",
			shows("Allowed  -     Deployment shop/web", "Denied   403   Deployment shop/worker", "Allowed  -     Deployment shop/db",
				needsZone+"; set it in spec.template.spec.nodeSelector")).exits(1),
	}}
}
