package surge

import (
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Class says how far a refusal reaches.
type Class string

const (
	// NodeLevel is decided by what is on the host, or by what the host is: another
	// host may do.
	NodeLevel Class = "node-level"
	// Coarser is decided by more than the host, such as what is in its zone: no
	// choice of host helps there.
	Coarser Class = "coarser"
)

// Classify says how far the refusal of a stage reaches.
func Classify(stage string, reason *placement.Reason) Class {
	switch stage {
	case "topology_spread", "pod_affinity", "pod_anti_affinity":
		if key := reason.TopologyKey(); key != "" && key != v1.LabelHostname {
			return Coarser
		}
		return NodeLevel
	case "node_name", "unschedulable", "node_selector", "taints", "resources", "host_ports", "affinity_constraints":
		return NodeLevel
	default: // a quota holds everywhere, and of what is not known nothing is promised
		return Coarser
	}
}

// Remedy says what would do instead, in a few words.
func Remedy(stage string, reason *placement.Reason) string {
	if Classify(stage, reason) == Coarser {
		if key := reason.TopologyKey(); key != "" {
			return "no host of that " + key + " would do"
		}
		return "no choice of host helps"
	}
	switch stage {
	case "topology_spread", "pod_affinity":
		if reason.TopologyKey() == "" { // the host lacks the label that divides the nodes
			return "a host that its own constraints allow would do"
		}
	case "affinity_constraints":
		if reason.Blocking.Name == "" { // what is required is missing
			return "a host with such a Pod would do"
		}
	}
	switch stage {
	case "pod_anti_affinity", "host_ports", "topology_spread", "affinity_constraints":
		return "an empty host would do"
	case "resources":
		return "a host with more room would do"
	case "pod_affinity":
		return "a host with such a Pod would do"
	default:
		return "a host that its own constraints allow would do"
	}
}
