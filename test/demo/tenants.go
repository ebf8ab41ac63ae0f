package main

// refusedDC3 is what is said of a class that the tenant may not use.
const refusedDC3 = `AffinityClass "dc3" (spec.values.affinityClass) is not allowed by its tenant; allowed: dc1, dc2`

// outside is what the fence says of a Pod that asks for no nodes at all.
const outside = `is in none of the allowed classes: "dc1", "dc2"`

func theTenant() step {
	return step{"The admin gives a tenant two classes and a default", []act{
		do("Tenants live in the namespaces of their parents. This is that of the topmost.",
			"kubectl create namespace tenant-root", shows("created")),
		do("The chart of a tenant makes its namespace, and here the Tenant itself, where a platform has made it already. It allows dc1 and dc2; dc1 is the default.",
			"helm install acme "+tenantChart+" -n tenant-root \\\n  -f values/acme.yaml", shows("STATUS: deployed")),
		do("A tenant below it says nothing of classes.",
			"helm install lab "+tenantChart+" -n tenant-acme \\\n  --set tenant.create=true", shows("STATUS: deployed")),
		see("So it has those of its parent: its charts are told the same.",
			`kubectl get secret cozystack-values -n tenant-acme-lab \
  -o jsonpath='{.data.values\.yaml}' | base64 -d`,
			shows("- dc1", "- dc2", "defaultAffinityClass: dc1")),
	}}
}

func theChoice() step {
	return step{"A user picks a class, or takes the default", []act{
		do("This application names dc2 among its values.",
			"kubectl apply -f release-cache.yaml", shows("cache created")),
		do("This one, in the tenant below, names none.",
			"kubectl apply -f release-site.yaml", shows("site created")),
		see("Nobody has written a label: the webhook has derived it, and the node selector in the values too.",
			"kubectl get helmreleases -A -o custom-columns-file=chosen.columns \\\n"+
				"  -l 'apps.cozystack.io/application.name in (cache,site)'",
			rows(2), shows("tenant-acme       cache   dc2", "explicit", "tenant-acme-lab   site    dc1", "default")),
		see("The Pods are where the class says.",
			"kubectl get pods -n tenant-acme -o custom-columns-file=where.columns", rows(2, "cache-", " dc2-")),
		see("Those of the tenant below, too.",
			"kubectl get pods -n tenant-acme-lab -l app=site \\\n  -o custom-columns-file=where.columns", rows(3, "site-", " dc1-")),
		do("A class beyond the tenant's is refused to the person who asks for it, and the answer lists what is allowed.",
			"kubectl apply -f release-far.yaml", shows("(Forbidden)", refusedDC3)).exits(1),
	}}
}

func theFence() step {
	return step{"Nothing that is written in the tenant's namespace leads out", []act{
		do("A bare Pod belongs to no application. It is held to the classes of the tenant all the same: any node would do for it.",
			"kubectl create -f pod-stray.yaml",
			shows("(Forbidden)", outside)).exits(1),
		do("One that keeps to dc1 by itself is let in.",
			`kubectl run kept -n tenant-acme --image=example.com/kept:1 \
  --overrides '{"spec":{"nodeSelector":{"topology.kubernetes.io/zone":"dc1"}}}'`, shows("created")),
	}}
}

func theOrClass() step {
	return step{"A class of either datacenter, and an operator that knows only affinity", []act{
		do("No node selector can say dc1 or dc2; terms can.",
			"kubectl apply -f class-dc12.yaml", shows("dc12 created")),
		do("The resource of this database has no node selector. Its chart hands over the class as node affinity.",
			"kubectl apply -f release-orders.yaml", shows("orders created")),
		see("What its Pods allow is proven to lie inside the class.",
			"kubectl get pods -n shop -l cnpg.io/cluster=orders \\\n  -L apps.cozystack.io/affinity-class", rows(4, "orders-", " dc12")),
	}}
}

func theMove() step {
	return step{"A running application changes its class", []act{
		do("The cache moves to dc1.",
			`kubectl patch helmrelease cache -n tenant-acme --type merge \
  -p '{"spec":{"values":{"affinityClass":"dc1"}}}'`, shows("patched")),
		see("Its Pods are replaced one by one. Until the release is ready again, those of the class before are let in as well.",
			"kubectl get pods -n tenant-acme -l app=cache \\\n  -o custom-columns-file=where.columns", rows(2, "cache-", "Running", " dc1-")),
		see("Not one was refused on the way.",
			"kubectl get events -n tenant-acme --field-selector reason=FailedCreate", shows("No resources found")),
	}}
}

func theClassInUse() step {
	return step{"A class in use is not deleted", []act{
		do("The database and the tenant still name dc2. They are named to whoever asks.",
			"kubectl delete affinityclass dc2", shows("(Conflict)", "HelmRelease shop/db", "Tenant tenant-root/acme")).exits(1),
	}}
}

// tenantChart is the chart of a tenant, as the commands of the story name it.
const tenantChart = "../../../charts/tenant"
