package surge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

func TestThePlaceholder(t *testing.T) {
	n := node("n1", label("pool", "db"), taint("pool", "db"), taint(v1.TaintNodeUnschedulable, ""), has(gpu, "2"))
	c := candidate(n, pod("a", asks(cpu, "1"), asks(gpu, "1")))
	p, err := (&surge.Placeholder{Namespace: "default", Image: "pause", PriorityClass: "low", Same: []string{"pool"}}).Pod(c, surge.Reserve(c, surge.DrainSized))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]v1.Toleration{{Key: "pool", Operator: v1.TolerationOpEqual, Value: "db", Effect: v1.TaintEffectNoSchedule}}, p.Spec.Tolerations); diff != "" {
		t.Errorf("it tolerates what the administrator tainted, not the node's condition (-want +got):\n%s", diff)
	}
	terms := p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	want := []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "pool", Operator: v1.NodeSelectorOpIn, Values: []string{"db"}}}}}
	if diff := cmp.Diff(want, terms); diff != "" || p.Spec.Affinity.PodAntiAffinity != nil {
		t.Errorf("affinity (-want +got):\n%s", diff)
	}
	r := p.Spec.Containers[0].Resources
	if diff := cmp.Diff(map[string]string{"example.com/gpu": "1"}, texts(placement.Counted(r.Limits))); diff != "" {
		t.Errorf("what may not be overcommitted has a limit (-want +got):\n%s", diff)
	}
	if p.Spec.PriorityClassName != "low" || p.Name != "surge-n1" {
		t.Errorf("got %s, priority class %s", p.Name, p.Spec.PriorityClassName)
	}
}

func TestTheModeChangesTheRequestsAlone(t *testing.T) {
	c := candidate(node("n1"), pod("a", asks(cpu, "1")))
	var pods []*v1.Pod
	for _, mode := range modes() {
		p, err := (&surge.Placeholder{Namespace: "default", Image: "pause"}).Pod(c, surge.Reserve(c, mode))
		if err != nil {
			t.Fatal(err)
		}
		p.Spec.Containers[0].Resources = v1.ResourceRequirements{}
		pods = append(pods, p)
	}
	if diff := cmp.Diff(pods[0], pods[1]); diff != "" {
		t.Errorf("drain-sized and whole-node differ in more (-drain +whole):\n%s", diff)
	}
	if pods[0].Spec.Affinity != nil {
		t.Errorf("affinity that nobody asked: %v", pods[0].Spec.Affinity)
	}
}

func TestThePlaceholderOfALongNameHasAName(t *testing.T) {
	c := candidate(node(strings.Repeat("abcdefg.", 31)+"abcde"), pod("a"))
	p, err := (&surge.Placeholder{}).Pod(c, surge.Reserve(c, surge.DrainSized))
	if err != nil || len(p.Name) > 253 || strings.HasSuffix(p.Name, ".") {
		t.Errorf("got %q, %v", p.GetName(), err)
	}
}

func TestThePlaceholderToleratesWhatAnAdministratorSet(t *testing.T) {
	c := candidate(node("n1", taint("pool", "db"), taint("node.kubernetes.io/not-ready", ""), taint("karpenter.sh/disrupted", ""),
		taint("ToBeDeletedByClusterAutoscaler", "1"), taint("DeletionCandidateOfClusterAutoscaler", "1"), taint("node.cloudprovider.kubernetes.io/shutdown", "")),
		pod("a", on("n1")))
	got, err := (&surge.Placeholder{}).Pod(c, surge.Reserve(c, surge.DrainSized))
	if err != nil || len(got.Spec.Tolerations) != 1 || got.Spec.Tolerations[0].Key != "pool" {
		t.Errorf("a node that is about to go is no host: %v, %v", got.Spec.Tolerations, err)
	}
}

func TestAPlaceholderOfHugePagesSaysThatItAsksNoCPU(t *testing.T) {
	const huge v1.ResourceName = "hugepages-2Mi"
	for _, tt := range []struct {
		change []func(*v1.Pod)
		zero   bool
	}{{[]func(*v1.Pod){asks(huge, "4Mi")}, true}, {[]func(*v1.Pod){asks(huge, "4Mi"), asks(memory, "1Gi")}, false}, {nil, false}} {
		c := candidate(node("n1", has(huge, "8Mi")), pod("a", append(tt.change, on("n1"))...))
		got, err := (&surge.Placeholder{}).Pod(c, surge.Reserve(c, surge.DrainSized))
		if err != nil {
			t.Fatal(err)
		}
		asked, ok := got.Spec.Containers[0].Resources.Requests[cpu]
		if ok != tt.zero || !asked.IsZero() {
			t.Errorf("the API refuses huge pages alone: %v", got.Spec.Containers[0].Resources)
		}
	}
}
