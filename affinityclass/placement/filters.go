package placement

import "github.com/cozystack/affinityclass/affinityclass/binaryaffinity"

// filter is a named stage. prepare reads what the stage needs of the placed
// Pods, once, and returns the judge of a node; a nil judge passes all. It is
// given the nodes that are still candidates.
type filter struct {
	name    string
	prepare func(*run, []*node) judge
}

// judge says why a node is dropped; nil when it is not.
type judge func(*node) *Reason

// filters are the stages in order. What the binary value of a Pod requires is
// judged last.
func filters(of kind) []filter {
	if of == machine {
		return []filter{
			{"node_name", nodeName}, {"node_ready", nodeReady}, {"unschedulable", unschedulable},
			{"architecture", architecture}, {"node_selector", nodeSelector}, {"taints", taints},
			{"cpu_pinning", cpuPinning}, {"resources", resources},
			{"pod_affinity", machineAffinity}, {"pod_anti_affinity", machineAntiAffinity},
			{"topology_spread", machineSpread},
		}
	}
	return []filter{
		{"node_name", nodeName}, {"unschedulable", unschedulable},
		{"node_selector", nodeSelector}, {"taints", taints},
		{"resources", resources}, {"host_ports", ports},
		{"topology_spread", topologySpread},
		{"pod_affinity", podAffinity}, {"pod_anti_affinity", podAntiAffinity},
		{binaryaffinity.Stage, affinityConstraints},
	}
}
