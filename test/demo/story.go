package main

// story is played in this order; each step stands on those before it.
//
// No release controller takes part: the story applies the HelmReleases as
// objects, and itself applies what their charts would bring, with the labels
// that the controller would put on it.
func story() []step {
	return []step{theNodes(), theClass(), theRelease(), theGoodChart(), theForgetfulChart(), theMissingClass(), theShell()}
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
	return step{"A tenant orders an application in dc1", []act{
		do("In namespaces with the label affinity.cozystack.io/enforce=deny, every new Pod is judged.",
			"kubectl apply -f shop.yaml", shows("namespace/shop created")),
		see("A new namespace takes Pods once it has its service account.",
			"kubectl wait --for=create serviceaccount/default -n shop", shows("condition met")),
		do("The application is a HelmRelease, and the class is a label on it.",
			"kubectl apply -f release-web.yaml", shows("helmrelease.helm.toolkit.fluxcd.io/web created")),
		see("Every Pod of this release now has to keep to the nodes of dc1.",
			"kubectl get helmreleases -n shop -L apps.cozystack.io/affinity-class", rows(1, "web", "dc1")),
	}}
}

func theGoodChart() step {
	return step{"A chart that keeps its class comes up in dc1", []act{
		do("This is what the chart brings, with the labels that Flux puts on it.",
			"kubectl apply -f web.yaml", shows("deployment.apps/web created")),
		see("The webhook walks from each Pod to its release, lets it pass, and labels it.",
			"kubectl get pods -n shop -L apps.cozystack.io/affinity-class", rows(3, "web-", "Running", " dc1")),
		see("The real scheduler has put them on the nodes of dc1.",
			"kubectl get pods -n shop \\\n  -o custom-columns=POD:.metadata.name,NODE:.spec.nodeName", rows(3, " dc1-")),
	}}
}
