package placement_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// vm is a Machine in JSON; spec is what stands between the braces of its spec.
func vm(name, labels, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"kairon.zyvor.dev/v1alpha1","kind":"Machine",
		"metadata":{"namespace":"vms","name":%q,"labels":{%s}},"spec":{%s}}`, name, labels, spec)
}

const web = `"tier":"web"`

func placed(name, labels, node string) string {
	return vm(name, labels, `"nodeName":"`+node+`"`)
}

func wants(placement string) string { return vm("new", web, `"placement":{`+placement+`}`) }

const hardZones = `"topologySpreadConstraints":[{"topologyKey":"topology.kubernetes.io/zone","labelSelector":{"tier":"web"},
	"whenUnsatisfiable":"DoNotSchedule"`

func TestMachineCandidates(t *testing.T) {
	notReady := func(n *v1.Node) { n.Status.Conditions[0].Status = v1.ConditionFalse }
	two := []any{node("a", zone("x")), node("b", zone("y"))}
	with := func(more ...any) []any { return append(slices.Clone(two), more...) }
	tests := []struct {
		name, machine string
		state         []any
		want, reason  string
	}{
		{"a Machine that names nothing may go anywhere", wants(""), two, "a b", ""},
		{"but not to a node that is not Ready", wants(""), []any{node("a", notReady)}, "", "1 node(s): node not Ready"},
		{"an architecture is a label", wants(`"architecture":"arm64"`), []any{node("a", label(v1.LabelArchStable, "amd64"))}, "",
			"1 node(s): architecture arm64 not satisfied"},
		{"anti-affinity reaches across namespaces and counts Pods",
			wants(`"antiAffinity":[{"labelSelector":{"app":"db"},"topologyKey":"kubernetes.io/hostname"}]`), with(pod("db", on("a"))), "b",
			"1 node(s): pod anti-affinity app=db on kubernetes.io/hostname not satisfied"},
		{"anti-affinity is not symmetric", wants(""), with(pod("db", on("a"), apart("web", host))), "a b", ""},
		{"there is no first of a group", wants(`"affinity":[{"labelSelector":{"tier":"web"},"topologyKey":"kubernetes.io/hostname"}]`), two, "",
			"2 node(s): pod affinity tier=web on kubernetes.io/hostname not satisfied"},
		{"maxSkew 0 means perfect balance, so that one of two empty domains may not begin", wants(hardZones + `}]`), two, "",
			"2 node(s): topology spread tier=web on topology.kubernetes.io/zone, maxSkew 0, not satisfied"},
		{"and the domain that is behind may catch up", wants(hardZones + `}]`), with(placed("m", web, "a")), "b",
			"1 node(s): topology spread tier=web on topology.kubernetes.io/zone, maxSkew 0, not satisfied"},
		{"the newcomer counts whatever its own labels", vm("new", `"tier":"db"`, `"placement":{`+hardZones+`,"maxSkew":1}]}`),
			with(placed("m", web, "a")), "b", "1 node(s): topology spread tier=web on topology.kubernetes.io/zone, maxSkew 1, not satisfied"},
		{"only the candidates' domains count", wants(`"nodeSelector":{"kubernetes.io/hostname":"a"},` + hardZones + `}]`), two, "a",
			"1 node(s): nodeSelector kubernetes.io/hostname=a not satisfied"},
		{"a node without the key passes", wants(hardZones + `}]`), []any{node("a")}, "a", ""},
		{"an omitted whenUnsatisfiable only scores",
			wants(`"topologySpreadConstraints":[{"topologyKey":"topology.kubernetes.io/zone","labelSelector":{"tier":"web"}}]`),
			with(placed("m", web, "a")), "a b", ""},
		{"pinned cpus are a capacity of their own", vm("new", web, `"cpuPinning":true,"resources":{"vcpus":8}`),
			[]any{node("a", allocatable("cpu", "16")), node("b", allocatable("cpu", "16")), pinnedOn("a", 12)}, "b",
			"1 node(s): cpuPinning requests 8 vCPU(s), only 4 free"},
		{"cpus of Machines and Pods add up", vm("new", web, `"resources":{"cpu":2}`),
			[]any{node("a"), pod("db", on("a"), asks("cpu", "1")), vm("m", web, `"nodeName":"a","resources":{"cpu":2}`)}, "",
			"1 node(s): cpu requests 2, only 1 free"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := cluster(tt.state...).Preview(machineRequest(t, tt.machine), placement.Options{})
			got := names(p)
			slices.Sort(got)
			if diff := cmp.Diff([]string{tt.want, tt.reason}, []string{strings.Join(got, " "), p.Aggregate()}); diff != "" {
				t.Errorf("candidates and aggregate (-want +got):\n%s", diff)
			}
		})
	}
}

func pinnedOn(node string, cpus int) string {
	return vm("pinned-on-"+node, web, fmt.Sprintf(`"nodeName":%q,"cpuPinning":true,"resources":{"vcpus":%d}`, node, cpus))
}

func TestMachineScores(t *testing.T) {
	prefers := func(weight int, selector string) string {
		return wants(fmt.Sprintf(`"preferredAffinity":[{"weight":%d,"labelSelector":{%s},"topologyKey":"kubernetes.io/hostname"}]`, weight, selector))
	}
	busy := []any{node("a"), node("b"), placed("w", web, "a")}
	for i := range 5 {
		busy = append(busy, placed(fmt.Sprint("other-", i), `"tier":"db"`, "a"))
	}
	tests := []struct {
		name, machine string
		state         []any
		want          string // the winner and its score
	}{
		{"without wishes the least loaded wins", wants(""), busy, "b 0"},
		{"weight 20 outweighs several Machines", prefers(20, web), busy, "a 14"},
		{"weight 1 does not", prefers(1, web), busy, "b 0"},
		{"PreferNoSchedule costs a fixed penalty", wants(""),
			append(slices.Clone(busy), node("b", taint("spot", "", v1.TaintEffectPreferNoSchedule))), "a -6"},
		{"the emptier domain is preferred", wants(`"topologySpreadConstraints":[{"topologyKey":"kubernetes.io/hostname","labelSelector":{"tier":"web"}}]`),
			[]any{node("a"), node("b"), placed("w", web, "a"), placed("d", `"tier":"db"`, "b")}, "b -1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := cluster(tt.state...).Preview(machineRequest(t, tt.machine), placement.Options{})
			if got := fmt.Sprint(p.Winner, " ", p.Candidates[0].Score); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A hint comes from a claim that is allocated, through a pool that one node owns.
func TestDeviceHints(t *testing.T) {
	allocated := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "vms", Name: "gpu"}}
	allocated.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{{Driver: "gpu.example.com", Pool: "pool"}}}}
	unallocated := allocated.DeepCopy()
	unallocated.Status.Allocation = nil
	slice := func(name string, node *string) *resourcev1.ResourceSlice {
		s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}}
		s.Spec.Driver, s.Spec.Pool.Name, s.Spec.NodeName = "gpu.example.com", "pool", node
		return s
	}
	tests := []struct {
		name   string
		claim  *resourcev1.ResourceClaim
		slices []*resourcev1.ResourceSlice
		want   int64
	}{
		{"one owner is a hint", allocated, []*resourcev1.ResourceSlice{slice("s1", new("a")), slice("s2", new("a"))}, placement.DeviceHintBonus},
		{"an unallocated claim is none", unallocated, []*resourcev1.ResourceSlice{slice("s1", new("a"))}, 0},
		{"a pool without a node is none", allocated, []*resourcev1.ResourceSlice{slice("s1", nil)}, 0},
		{"a pool of two nodes is none", allocated, []*resourcev1.ResourceSlice{slice("s1", new("a")), slice("s2", new("b"))}, 0},
		{"a pool nobody published is none", allocated, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := cluster(node("a"))
			s.SetResourceClaim(tt.claim)
			for _, slice := range tt.slices {
				s.SetResourceSlice(slice)
			}
			p := s.Preview(machineRequest(t, vm("new", web, `"deviceClaims":[{"name":"gpu"}]`)), placement.Options{})
			if got := p.Candidates[0].Score; got != tt.want {
				t.Errorf("got a score of %d, want %d", got, tt.want)
			}
		})
	}
}
