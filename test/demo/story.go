package main

// story is played in this order; each step stands on those before it.
//
// A release controller and a database operator take part, as processes: the
// story itself applies classes, HelmReleases and nothing that their charts bring.
func story() []step {
	return []step{
		theNodes(), theClass(), theRelease(), theGoodChart(), theForgetfulChart(),
		theMissingClass(), theRetry(), theOperator(), theReleaseThatFailed(),
		theTenant(), theChoice(), theFence(), theOrClass(), theMove(), theClassInUse(),
		theNeighbours(), theShell(), theQuestions(),
	}
}

func theNodes() step {
	return step{"Nodes", []act{
		see("Two datacenters with three nodes each. One has a GPU, one has a taint.",
			"kubectl get nodes -o custom-columns-file=nodes.columns",
			rows(6, "dc"), shows("dc1-c   dc1    1", "dedicated")),
	}}
}

func theClass() step {
	return step{"The platform admin says once what dc1 is", []act{
		do("An AffinityClass is a name for a node selector.",
			"kubectl apply -f class-dc1.yaml", shows("affinityclass.cozystack.io/dc1 created")),
		see("Users pick it by its name, as they pick a StorageClass.",
			"kubectl get affinityclasses", rows(1, "dc1", `{"topology.kubernetes.io/zone":"dc1"}`, "Deny")),
	}}
}

func theRelease() step {
	return step{"A user orders an application in dc1", []act{
		do("In namespaces with the label affinity.cozystack.io/enforce=deny, every new Pod is judged.",
			"kubectl apply -f shop.yaml", shows("namespace/shop created")),
		see("A new namespace takes Pods once it has its service account.",
			"kubectl wait --for=create serviceaccount/default -n shop", shows("condition met")),
		do("The application is a HelmRelease, and an annotation names its class. The webhook for releases hands the class to the chart: as a label, and as _scheduling among the values.",
			"kubectl apply -f release-web.yaml", shows("helmrelease.helm.toolkit.fluxcd.io/web created")),
		see("Every Pod of this release now has to keep to the nodes of dc1.",
			"kubectl get helmreleases -n shop -L apps.cozystack.io/affinity-class", rows(1, "web", "dc1")),
	}}
}

func theGoodChart() step {
	return step{"A chart that keeps its class comes up in dc1", []act{
		see("The release controller installs the chart, and waits for all of it.",
			"kubectl wait --for=condition=Ready helmrelease/web -n shop --timeout=90s", shows("condition met")),
		see("Its hooks are Jobs: one runs before everything else, one after it.",
			"kubectl get jobs -n shop", rows(2, "web-", "Complete", "1/1")),
		see("The webhook walks from each Pod to its release, lets it pass, and labels it; the Pods of the hooks too.",
			"kubectl get pods -n shop -L apps.cozystack.io/affinity-class", rows(5, "web-", " dc1")),
		see("The real scheduler has put them on the nodes of dc1.",
			"kubectl get pods -n shop \\\n  -o custom-columns=POD:.metadata.name,NODE:.spec.nodeName", rows(5, " dc1-")),
	}}
}

func theOperator() step {
	return step{"An operator creates Pods directly, and they are judged like any other", []act{
		see("No workload is in between: the Pods of the database are owned by its Cluster, and the Cluster is what the release deployed.",
			"kubectl get pods -n shop -l cnpg.io/podRole=instance \\\n  -o custom-columns-file=owners.columns",
			rows(3, "db-", "Cluster", " dc2-")),
		see("They bear the class of that release. None is on the node with the taint.",
			"kubectl get pods -n shop -l cnpg.io/cluster=db \\\n  -L apps.cozystack.io/affinity-class", rows(4, "db-", " dc2")),
	}}
}

func theShell() step {
	return step{"The same answers from a shell, before anything is applied", []act{
		see("affinityctl decides by the server's own code. It lets pass what the good chart renders, hooks included.",
			"helm template web "+examples+"/web -f values/dc1.yaml \\\n"+
				"  | affinityctl check -f - -n shop --classes class-dc1.yaml --class dc1",
			shows("Deployment shop/web ", "Job shop/web-prepare", "Job shop/web-check", "3 allowed, 0 denied")),
		see("Of the forgetful one it says what the webhook said: exit code 1.",
			"helm template proxy "+examples+"/forgetful -f values/dc1.yaml \\\n"+
				"  | affinityctl check -f - -n shop --classes class-dc1.yaml --class dc1",
			shows("2 allowed, 1 denied", "Deployment shop/proxy: "+needsZone+"; set it in spec.template.spec.nodeSelector")).exits(1),
	}}
}

// examples are the example charts, as the commands of the story name them.
const examples = "../../../charts/examples"
