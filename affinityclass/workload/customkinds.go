package workload

import "k8s.io/apimachinery/pkg/runtime/schema"

// How most operators call the fields of a Pod: as a Pod spec does.
const (
	nodeSelector = "nodeSelector"
	nodeAffinity = "affinity.nodeAffinity"
)

// podSpec is a role that has the fields by the names of a Pod spec.
func podSpec(at string, pod ...string) Role {
	return Role{At: at, Pod: pod, NodeSelector: []string{nodeSelector}, NodeAffinity: []string{nodeAffinity}}
}

// whileEnabled is such a role that has a switch of its own.
func whileEnabled(at, by string, pod ...string) Role {
	role := podSpec(at, pod...)
	role.Enabled = by
	return role
}

// strimzi is a role of Strimzi's: its Pods have no node selector.
func strimzi(at string) Role {
	return Role{At: at, Pod: []string{"template.pod"}, NodeAffinity: []string{nodeAffinity}}
}

// percona is a part of a PerconaServerMongoDB.
func percona(at, enabled string, pod ...string) Role {
	return Role{At: at, Enabled: enabled, Pod: pod, NodeSelector: []string{nodeSelector}, NodeAffinity: []string{"affinity.advanced.nodeAffinity"}}
}

// clickHouse is a kind of Altinity's operator: Pod templates, and who takes which.
func clickHouse(group, kind string) Entry {
	return Entry{Group: group, Kind: kind, Roles: []Role{
		podSpec("spec.templates.podTemplates[]", "spec"),
		{At: "spec", Bare: "defaults.templates.podTemplate", Unless: []string{
			"defaults.templates.podTemplate",
			"configuration.clusters[].templates.podTemplate",
			"configuration.clusters[].layout.shards[].templates.podTemplate",
			"configuration.clusters[].layout.replicas[].templates.podTemplate",
			"configuration.clusters[].layout.shards[].replicas[].templates.podTemplate",
		}},
	}}
}

// ofSpec are kinds of a group whose spec has the fields.
func ofSpec(group string, kinds ...string) []Entry {
	var entries []Entry
	for _, kind := range kinds {
		entries = append(entries, Entry{Group: group, Kind: kind, Roles: []Role{podSpec("spec")}})
	}
	return entries
}

// ofTemplate are kinds of a group that keep a Pod template in spec.template.
func ofTemplate(group string, kinds ...string) []Entry {
	var entries []Entry
	for _, kind := range kinds {
		entries = append(entries, Entry{Group: group, Kind: kind, Roles: []Role{podSpec("spec", "template.spec")}})
	}
	return entries
}

// operators is where the operators that docs/checking.md lists take the constraints
// of their Pods from. Source: the API types and CRDs of each.
func operators() []Entry {
	entries := []Entry{
		{Group: "postgresql.cnpg.io", Kind: "Cluster", Roles: []Role{
			{At: "spec", Pod: []string{"affinity"}, NodeSelector: []string{nodeSelector}, NodeAffinity: []string{"nodeAffinity"}},
		}},
		{Group: "kafka.strimzi.io", Kind: "Kafka", Roles: []Role{
			strimzi("spec.kafka"), strimzi("spec.zookeeper"), strimzi("spec.entityOperator"),
			strimzi("spec.cruiseControl"), strimzi("spec.kafkaExporter"),
		}},
		{Group: "kafka.strimzi.io", Kind: "KafkaNodePool", Roles: []Role{strimzi("spec")}},
		{Group: "databases.spotahome.com", Kind: "RedisFailover", Roles: []Role{podSpec("spec", "redis"), podSpec("spec", "sentinel")}},
		{Group: "k8s.mariadb.com", Kind: "MariaDB", Roles: []Role{
			podSpec("spec"), whileEnabled("spec.metrics", "enabled", "exporter"), podSpec("spec.bootstrapFrom", "restoreJob"),
			{At: "spec.maxScale", Enabled: "enabled"}, // a MaxScale resource of its own can be given a place
		}},
		{Group: "k8s.mariadb.com", Kind: "MaxScale", Roles: []Role{podSpec("spec"), whileEnabled("spec.metrics", "enabled", "exporter")}},
		{Group: "rabbitmq.com", Kind: "RabbitmqCluster", Roles: []Role{{
			At:           "spec",
			NodeSelector: []string{"override.statefulSet.spec.template.spec.nodeSelector"},
			NodeAffinity: []string{"override.statefulSet.spec.template.spec.affinity.nodeAffinity", nodeAffinity},
		}}},
		{Group: "psmdb.percona.com", Kind: "PerconaServerMongoDB", Roles: []Role{
			percona("spec.replsets[]", ""), percona("spec.replsets[].arbiter", "enabled"),
			percona("spec.replsets[].nonvoting", "enabled"), percona("spec.replsets[].hidden", "enabled"),
			percona("spec.sharding", "enabled", "configsvrReplSet"), percona("spec.sharding", "enabled", "mongos"),
		}},
		{Group: "opensearch.opster.io", Kind: "OpenSearchCluster", Roles: []Role{
			podSpec("spec.nodePools[]"), podSpec("spec", "bootstrap"), whileEnabled("spec.dashboards", "enable"),
		}},
		clickHouse("clickhouse.altinity.com", "ClickHouseInstallation"),
		clickHouse("clickhouse-keeper.altinity.com", "ClickHouseKeeperInstallation"),
		{Group: "etcd-operator.cozystack.io", Kind: "EtcdCluster", Roles: []Role{{At: "spec", NodeAffinity: []string{nodeAffinity}}}},
		{Group: "etcd.aenix.io", Kind: "EtcdCluster", Roles: []Role{podSpec("spec", "podTemplate.spec")}},
		{Group: "apps.foundationdb.org", Kind: "FoundationDBCluster", Roles: []Role{
			podSpec("spec.processes.*", "podTemplate.spec", "/spec.processes.general.podTemplate.spec"),
			{At: "spec", Bare: "processes.general.podTemplate", Unless: []string{"processes.general"}},
		}},
		{Group: "kubevirt.io", Kind: "VirtualMachine", Roles: []Role{podSpec("spec", "template.spec")}},
		{Group: "kamaji.clastix.io", Kind: "TenantControlPlane", Roles: []Role{podSpec("spec", "controlPlane.deployment")}},
		{Group: "argoproj.io", Kind: "Rollout", Roles: []Role{
			{At: "spec", Unless: []string{"workloadRef"}, Pod: []string{"template.spec"}, NodeSelector: []string{nodeSelector}, NodeAffinity: []string{nodeAffinity}},
		}},
	}
	entries = append(entries, ofSpec("k8s.mariadb.com", "Backup", "Restore", "SqlJob")...)
	entries = append(entries, ofSpec("kubevirt.io", "VirtualMachineInstance")...)
	entries = append(entries, ofTemplate("postgresql.cnpg.io", "Pooler")...)
	entries = append(entries, ofTemplate("serving.knative.dev", "Service", "Configuration")...)
	entries = append(entries, ofTemplate("kubevirt.io", "VirtualMachineInstanceReplicaSet")...)
	return entries
}

// Operators is the table of the operators that are known here.
func Operators() *Table {
	table := &Table{entries: map[schema.GroupKind]Entry{}}
	return table.With(operators()...)
}
