package main

// What the webhook says of a Pod without its selector, and of a class that is
// not there; affinityctl must say the same.
const (
	needsZone = `AffinityClass "dc1" requires nodeSelector topology.kubernetes.io/zone=dc1 (found none)`
	noClass   = `AffinityClass "dc2" not found; have the platform admin create it, or name another class on the application`
)

func theForgetfulChart() step {
	return step{"A chart that forgets its node selector is refused", []act{
		do("Another application in dc1. The hooks of its chart keep the class, its Deployment forgets it.",
			"kubectl apply -f release-proxy.yaml", shows("proxy created")),
		see("The Deployment itself is let in: it is no Pod yet. Its ReplicaSet cannot create a single Pod, and says so.",
			"kubectl get events -n shop --field-selector reason=FailedCreate",
			rows(1, "Warning", "FailedCreate", "replicaset/proxy-", "Error creating: admission webhook", needsZone)),
		see("Who deploys through Flux looks at the HelmRelease: the same is said there.",
			"kubectl events -n shop --for helmrelease/proxy", shows("ContractBroken", "HelmRelease/proxy", needsZone)),
		see("The exact message:",
			"kubectl get events -n shop -o jsonpath='{.items[0].message}' \\\n"+
				"  --field-selector reason=ContractBroken,involvedObject.kind=HelmRelease",
			exactly("Pod shop/proxy-* (TCPBalancer proxy): "+needsZone+"; set it in spec.nodeSelector of the Pods of Deployment proxy")),
		see("Nothing of it runs, and the other application is not disturbed.",
			"kubectl get deployments -n shop", rows(2), shows("web     3/3", "proxy   0/2")),
	}}
}

func theMissingClass() step {
	return step{"A class that does not exist yet is a conflict that can pass", []act{
		do("A database with the label of class dc2, which nobody has made. A tool from before wrote it; a release that names such a class in its annotation would be refused at once.",
			"kubectl apply -f release-db.yaml", shows("db created")),
		see("Its operator begins with a Job, whose Pod is refused too.",
			"kubectl get events -n shop \\\n  --field-selector reason=FailedCreate,involvedObject.name=db-1-initdb",
			rows(1, "job/db-1-initdb", noClass)),
		see("The release says for which application, and what to do:",
			"kubectl get events -n shop -o jsonpath='{.items[0].message}' \\\n"+
				"  --field-selector reason=ClassNotFound,involvedObject.kind=HelmRelease",
			exactly("Pod shop/db-1-initdb-* (Postgres db): "+noClass)),
		see("The code is 409 Conflict: it may pass later. kubectl shows it where one asks about a single Pod; this is a dry run.",
			"kubectl create --dry-run=server -f db-pod.yaml", shows("(Conflict)", noClass)).exits(1),
	}}
}

func theRetry() step {
	return step{"The missing class is made, and the retry passes", []act{
		do("The admin makes the class.",
			"kubectl apply -f class-dc2.yaml", shows("affinityclass.cozystack.io/dc2 created")),
		see("Nobody touches the database: the Job's controller tries again by itself, each time after twice the time.",
			"kubectl wait --for=condition=Complete job/db-1-initdb -n shop --timeout=90s", shows("condition met")),
		see("Then the operator goes on.",
			"kubectl get clusters.postgresql.cnpg.io -n shop", rows(1, "db", "Cluster in healthy state")),
	}}
}

func theReleaseThatFailed() step {
	return step{"Meanwhile, the release of the forgetful chart has failed", []act{
		see("The release controller gives its Deployment the time that the release allows.",
			"kubectl wait --for=condition=Ready=False helmrelease/proxy -n shop", shows("condition met")),
		see("It is not ready, and its condition says which part is not; why, the Event beside it has said.",
			`kubectl get helmrelease proxy -n shop \
  -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`,
			shows("Helm install failed for release shop/proxy with chart forgetful@", "resource Deployment/shop/proxy not ready")),
	}}
}
