package surge_test

import (
	"testing"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

func TestClassify(t *testing.T) {
	by := func(term string) *placement.Reason { return &placement.Reason{Term: term} }
	tests := []struct {
		stage, term string
		class       surge.Class
		remedy      string
	}{
		{"pod_anti_affinity", "app=web on " + host, surge.NodeLevel, "an empty host would do"},
		{"pod_anti_affinity", "app=web on " + zoneKey, surge.Coarser, "no host of that " + zoneKey + " would do"},
		{"host_ports", "hostPort 80/TCP", surge.NodeLevel, "an empty host would do"},
		{"resources", "", surge.NodeLevel, "a host with more room would do"},
		{"topology_spread", "app=web on " + host, surge.NodeLevel, "an empty host would do"},
		{"topology_spread", "app=web on " + zoneKey, surge.Coarser, "no host of that " + zoneKey + " would do"},
		{"topology_spread", "rack", surge.NodeLevel, "a host that its own constraints allow would do"},
		{"pod_affinity", "app=web on " + host, surge.NodeLevel, "a host with such a Pod would do"},
		{"pod_affinity", "app=web on rack", surge.Coarser, "no host of that rack would do"},
		{"taints", "pool=db:NoSchedule", surge.NodeLevel, "a host that its own constraints allow would do"},
		{"node_selector", "", surge.NodeLevel, "a host that its own constraints allow would do"},
		{"affinity_constraints", "require_with_tag web", surge.NodeLevel, "a host with such a Pod would do"},
		{"quota", "shop/compute", surge.Coarser, "no choice of host helps"},
		{"a stage of tomorrow", "", surge.Coarser, "no choice of host helps"},
	}
	for _, tt := range tests {
		reason := by(tt.term)
		if class, remedy := surge.Classify(tt.stage, reason), surge.Remedy(tt.stage, reason); class != tt.class || remedy != tt.remedy {
			t.Errorf("%s of %q is %s (%s), want %s (%s)", tt.stage, tt.term, class, remedy, tt.class, tt.remedy)
		}
	}
}
