package main

// asBinary is what the weights of the sessions become.
const asBinary = `{"prefer_with_tag":["web"],"prefer_without_tag":["sessions"]}`

func theNeighbours() step {
	return step{"Pods say beside whom they want to be, in four words", []act{
		see("Where would it land? A dry run says so and changes nothing. This one has weights, an older form, and is told what to write.",
			"kubectl create --dry-run=server -f deployment-sessions.yaml",
			shows("preview: 5 of 6 nodes", "2 of 2 Pods would find a node", "write "+asBinary, "(server dry run)")),
		do("It is let in.", "kubectl apply -f deployment-sessions.yaml", shows("deployment.apps/sessions created")),
		see("The scheduler keeps the two apart, by terms that the webhook has added to them.",
			"kubectl wait --for=condition=Available deployment/sessions \\\n  -n shop --timeout=60s", shows("condition met")),
		see("Before weights go away: who has some?",
			"affinityctl binary find -n shop",
			shows("Deployment shop/sessions ", asBinary, "4 weighted")).exits(1),
		see("A word that nobody can satisfy now is a conflict, and no full cluster: there is no Pod with the tag.",
			"kubectl create -f pod-report.yaml",
			shows("(Conflict)", "affinity_constraints", "require_with_tag ledger: no Pod there bears it")).exits(1),
	}}
}
