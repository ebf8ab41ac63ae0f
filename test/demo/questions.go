package main

func theQuestions() step {
	return step{"And of the cluster itself, with one's own rights and without writing", []act{
		see("Why is it refused, and what would make it pass?",
			"affinityctl why deployment/proxy -n shop",
			shows("Deployment shop/proxy: Denied (ContractBroken, 403)", "└─ HelmRelease shop/proxy")).exits(1),
		see("Where could it land, and why not elsewhere?",
			"affinityctl preview -f deployment-sessions.yaml --replicas 1",
			shows("Pod shop/sessions-0: Fits, 5 of 6 nodes", "1 node(s): untolerated NoSchedule taint dedicated=backup")),
		see("Which classes are there, and who uses them?",
			"affinityctl classes", rows(3, "Deny")),
		see("What would be denied, were it created now?",
			"affinityctl audit -A", shows("0 denied", "0 on a node outside their class")),
		see("What happens to the Pods of a node that is drained?",
			"affinityctl drain dc1-a | head -4", shows("Drain of dc1-a: ", "have to land elsewhere")),
	}}
}
