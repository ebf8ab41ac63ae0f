package placement_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	host  = v1.LabelHostname
	zoned = v1.LabelTopologyZone
)

func dying(p *v1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: time.Unix(0, 0)} }

func done(p *v1.Pod) { p.Status.Phase = v1.PodSucceeded }

func cordoned(n *v1.Node) { n.Spec.Unschedulable = true }

func sidecar(cpu string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		always := v1.ContainerRestartPolicyAlways
		p.Spec.InitContainers = append(p.Spec.InitContainers, v1.Container{RestartPolicy: &always,
			Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}}})
	}
}

func minDomains(n int32) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.MinDomains = &n }
}

func policies(affinity, taints v1.NodeInclusionPolicy) func(*v1.TopologySpreadConstraint) {
	return func(c *v1.TopologySpreadConstraint) { c.NodeAffinityPolicy, c.NodeTaintsPolicy = &affinity, &taints }
}

func space(name string, labels map[string]string) *v1.Namespace {
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}

func TestCandidates(t *testing.T) {
	gpu := taint("dedicated", "gpu", v1.TaintEffectNoSchedule)
	tests := []struct {
		name   string
		state  []any
		pod    *v1.Pod
		want   string // candidates, by name
		reason string // the aggregate
	}{
		{"any node takes a Pod that asks nothing", []any{node("a"), node("b")}, pod("web"), "a b", ""},
		{"a named node is the only one", []any{node("a"), node("b")}, pod("web", on("b")), "b", "1 node(s): nodeName b asked"},
		{"a cordoned node takes nobody", []any{node("a", cordoned), node("b")}, pod("web"), "b", "1 node(s): node unschedulable"},
		{"unless its taint is tolerated", []any{node("a", cordoned)},
			pod("web", toleration(v1.Toleration{Key: v1.TaintNodeUnschedulable, Operator: v1.TolerationOpExists})), "a", ""},
		{"of several selector keys the first is named and the rest counted", []any{node("a"), node("b", label("disk", "ssd"))},
			pod("web", selects("zone", "x"), selects("disk", "ssd")), "",
			"1 node(s): nodeSelector disk=ssd (and 1 more) not satisfied; 1 node(s): nodeSelector zone=x not satisfied"},
		{"an untolerated taint", []any{node("a", gpu), node("b")}, pod("web"), "b", "1 node(s): untolerated NoSchedule taint dedicated=gpu"},
		{"an unknown operator tolerates nothing", []any{node("a", gpu)},
			pod("web", toleration(v1.Toleration{Key: "dedicated", Operator: "Like", Value: "gpu"})), "", "1 node(s): untolerated NoSchedule taint dedicated=gpu"},
		{"the wildcard tolerates everything", []any{node("a", gpu, taint("x", "", v1.TaintEffectNoExecute))},
			pod("web", toleration(v1.Toleration{Operator: v1.TolerationOpExists})), "a", ""},
		{"PreferNoSchedule drops nobody", []any{node("a", taint("spot", "", v1.TaintEffectPreferNoSchedule))}, pod("web"), "a", ""},
		{"requests count against what is in use", []any{node("a"), pod("db", on("a"), asks("cpu", "3"))}, pod("web", asks("cpu", "2")), "",
			"1 node(s): cpu requests 2, only 1 free"},
		{"a finished Pod uses nothing", []any{node("a"), pod("db", on("a"), asks("cpu", "3"), done)}, pod("web", asks("cpu", "2")), "a", ""},
		{"a terminating Pod still does", []any{node("a"), pod("db", on("a"), asks("cpu", "3"), dying)}, pod("web", asks("cpu", "2")), "",
			"1 node(s): cpu requests 2, only 1 free"},
		{"a sidecar adds to the containers", []any{node("a")}, pod("web", asks("cpu", "3"), sidecar("1500m")), "",
			"1 node(s): cpu requests 4500m, only 4 free"},
		{"overhead counts", []any{node("a")}, pod("web", asks("cpu", "4"), func(p *v1.Pod) {
			p.Spec.Overhead = v1.ResourceList{v1.ResourceCPU: resource.MustParse("1m")}
		}), "", "1 node(s): cpu requests 4001m, only 4 free"},
		{"the Pod's own requests stand for its containers'", []any{node("a")}, pod("web", asks("cpu", "8"), func(p *v1.Pod) {
			p.Spec.Resources = &v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4")}}
		}), "a", ""},
		{"a resource that no node has", []any{node("a")}, pod("web", asks("example.com/gpu", "1")), "", "1 node(s): example.com/gpu requests 1, only 0 free"},
		{"the number of Pods is a resource", []any{node("a", allocatable("pods", "1")), pod("db", on("a"))}, pod("web"), "",
			"1 node(s): pods requests 1, only 0 free"},
		{"a host port that is taken", []any{node("a"), node("b"), pod("db", on("a"), hostPort(80))}, pod("web", hostPort(80)), "b",
			"1 node(s): host port 80/TCP taken"},
		{"a domain may not run ahead", []any{node("a", zone("x")), node("b", zone("y")), pod("w1", on("a"), app("web"))},
			pod("w2", app("web"), spreads("web", zoned, 1)), "b", "1 node(s): topology spread app=web on " + zoned + ", maxSkew 1, not satisfied"},
		{"a terminating Pod spreads no more", []any{node("a", zone("x")), node("b", zone("y")), pod("w1", on("a"), app("web"), dying)},
			pod("w2", app("web"), spreads("web", zoned, 1)), "a b", ""},
		{"a node without the key takes none that spread", []any{node("a", zone("x")), node("b")},
			pod("w2", app("web"), spreads("web", zoned, 1)), "a", "1 node(s): node has no label " + zoned},
		{"too few domains make the least zero", []any{node("a", zone("x")), pod("w1", on("a"), app("web"))},
			pod("w2", app("web"), spreads("web", zoned, 1, minDomains(2))), "", "1 node(s): topology spread app=web on " + zoned + ", maxSkew 1, not satisfied"},
		{"a tainted domain counts unless taints are honoured", []any{node("a", zone("x")), node("b", zone("y"), gpu), pod("w1", on("a"), app("web"))},
			pod("w2", app("web"), spreads("web", zoned, 1)), "",
			"1 node(s): topology spread app=web on " + zoned + ", maxSkew 1, not satisfied; 1 node(s): untolerated NoSchedule taint dedicated=gpu"},
		{"and not when they are", []any{node("a", zone("x")), node("b", zone("y"), gpu), pod("w1", on("a"), app("web"))},
			pod("w2", app("web"), spreads("web", zoned, 1, policies("Honor", "Honor"))), "a", "1 node(s): untolerated NoSchedule taint dedicated=gpu"},
		{"other revisions do not count", []any{node("a", zone("x")), node("b", zone("y")), pod("w1", on("a"), app("web"), revision("1"))},
			pod("w2", app("web"), revision("2"), spreads("web", zoned, 1, func(c *v1.TopologySpreadConstraint) { c.MatchLabelKeys = []string{"rev"} })), "a b", ""},
		{"affinity wants a neighbour in the domain", []any{node("a", zone("x")), node("b", zone("y")), pod("db", on("a"))},
			pod("web", near("db", zoned)), "a", "1 node(s): pod affinity app=db on " + zoned + " not satisfied"},
		{"one neighbour must match every term", []any{node("a"), pod("db", on("a")), pod("mq", on("a"))},
			pod("web", near("db", host), near("mq", host)), "", "1 node(s): pod affinity app=db on " + host + " not satisfied"},
		{"the first of a group may start it", []any{node("a"), node("b")}, pod("web", near("web", host)), "a b", ""},
		{"and the second must follow", []any{node("a"), node("b"), pod("w1", on("a"), app("web"))}, pod("w2", app("web"), near("web", host)), "a",
			"1 node(s): pod affinity app=web on " + host + " not satisfied"},
		{"another namespace's Pods are no neighbours", []any{node("a"), pod("db", in("other"), on("a"))}, pod("web", near("db", host)), "",
			"1 node(s): pod affinity app=db on " + host + " not satisfied"},
		{"unless a namespace selector reaches them", []any{node("a"), space("other", map[string]string{"team": "x"}), pod("db", in("other"), on("a"))},
			pod("web", near("db", host), everywhere(map[string]string{"team": "x"})), "a", ""},
		{"anti-affinity refuses the domain", []any{node("a"), node("b"), pod("w1", on("a"), app("web"))}, pod("w2", app("web"), apart("web", host)), "b",
			"1 node(s): pod anti-affinity app=web on " + host + " not satisfied"},
		{"and so does that of a Pod already there", []any{node("a"), node("b"), pod("db", on("a"), apart("web", host))}, pod("web"), "b",
			"1 node(s): refused by the anti-affinity of a Pod there: app=web on " + host},
		{"a term without a selector repels nobody, one with an empty selector everybody",
			[]any{node("a"), node("b"), pod("d1", on("a"), repels(nil)), pod("d2", on("b"), repels(&metav1.LabelSelector{}))}, pod("web"), "a",
			"1 node(s): refused by the anti-affinity of a Pod there: any Pod on " + host},
		{"a Pod is not its own neighbour", []any{node("a"), pod("web", on("a"), apart("web", host), hostPort(80), asks("cpu", "3"))},
			pod("web", apart("web", host), hostPort(80), asks("cpu", "3")), "a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := ask(t, cluster(tt.state...), tt.pod)
			got := names(p)
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("candidates (-want +got):\n%s\nreasons: %v", diff, p.Reasons())
			}
			if diff := cmp.Diff(tt.reason, p.Aggregate()); diff != "" {
				t.Errorf("aggregate (-want +got):\n%s", diff)
			}
		})
	}
}

// repels forbids whom the selector matches on the same host.
func repels(selector *metav1.LabelSelector) func(*v1.Pod) {
	return func(p *v1.Pod) {
		apart("", host)(p)
		p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector = selector
	}
}

func revision(value string) func(*v1.Pod) { return func(p *v1.Pod) { p.Labels["rev"] = value } }

// everywhere widens the Pod's affinity terms to the namespaces with these labels.
func everywhere(labels map[string]string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		terms := p.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		for i := range terms {
			terms[i].NamespaceSelector = &metav1.LabelSelector{MatchLabels: labels}
		}
	}
}
