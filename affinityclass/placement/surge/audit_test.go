package surge_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

// question is about the drain of n1 in a cluster of nodes, Pods and budgets.
func question(objects ...any) *surge.Question {
	q := &surge.Question{
		Snapshot: placement.NewSnapshot(), Survey: surge.NewSurvey("n1"), Mode: surge.DrainSized,
		Placeholder: surge.Placeholder{Namespace: "default", Image: "pause"},
	}
	for _, object := range objects {
		switch o := object.(type) {
		case *v1.Node:
			q.Snapshot.SetNode(o)
			q.Survey.AddNode(o)
		case *v1.Pod:
			q.Snapshot.SetPod(o)
			q.Survey.AddPod(o)
		case *v1.ResourceQuota:
			q.Snapshot.SetQuota(o)
		case *policyv1.PodDisruptionBudget:
			q.Survey.AddBudget(o)
		}
	}
	return q
}

func audit(t *testing.T, q *surge.Question) *surge.Report {
	t.Helper()
	report, err := surge.Audit(q)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// refusals are what the absorbing hosts refuse: "pod stage class blocking".
func refusals(r *surge.Report) map[string][]string {
	found := map[string][]string{}
	for _, host := range r.Hosts {
		found[host.Node] = nil
		for _, refused := range host.Refused {
			found[host.Node] = append(found[host.Node],
				refused.Pod.Name+" "+refused.Stage+" "+string(refused.Class)+" "+refused.Reason.Blocking.Name)
		}
	}
	return found
}

// Two services that need much cpu must not share a host. A drain-sized placeholder
// finds room beside the other; a whole node's worth does not.
func TestTheDecisionRecordsCase(t *testing.T) {
	q := question(node("n1"), node("n2"), node("n3"),
		pod("db-1", on("n1"), app("db"), asks(cpu, "1500m"), apart("web", host)), pod("log-1", on("n1"), asks(cpu, "200m")),
		pod("web-1", on("n2"), app("web"), asks(cpu, "1500m")), pod("busy-1", on("n3"), asks(cpu, "3")))
	r := audit(t, q)
	if diff := cmp.Diff([]string{"n2"}, r.DrainSized.Absorb); diff != "" {
		t.Errorf("drain-sized (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][]string{"n2": {"db-1 pod_anti_affinity node-level web-1"}}, refusals(r)); diff != "" {
		t.Errorf("refusals (-want +got):\n%s", diff)
	}
	if len(r.WholeNode.Absorb) > 0 || len(r.WholeNode.Excluded) != 2 {
		t.Errorf("whole-node lands on %v, excluded %v", r.WholeNode.Absorb, r.WholeNode.Excluded)
	}
	if r.DrainSized.Unplaced[0].Name != "db-1" || len(r.WholeNode.Unplaced) > 0 {
		t.Errorf("unplaced: %v, %v", r.DrainSized.Unplaced, r.WholeNode.Unplaced)
	}
	if !r.Elsewhere[0].Nowhere() || r.Elsewhere[0].Class() != surge.NodeLevel || r.Elsewhere[1].Node != "n2" {
		t.Errorf("elsewhere: %+v", r.Elsewhere)
	}
	if len(r.Residuals) > 0 {
		t.Errorf("residuals without a host: %v", r.Residuals)
	}
}

func TestAuditJudgesTheAbsorbingHosts(t *testing.T) {
	small := pod("a-1", on("n1"), app("a"), asks(cpu, "1"))
	tests := []struct {
		name, reason string
		objects      []any
		want         map[string][]string
	}{
		{"an empty host takes all", "nothing is there to refuse", []any{node("n1"), node("n2"), small}, map[string][]string{"n2": nil}},
		{"a Pod is not its own neighbour", "it is gone from the candidate before it is placed",
			[]any{node("n1", label(zoneKey, "a")), node("n2", label(zoneKey, "a")), pod("a-1", on("n1"), app("a"), apart("a", zoneKey))}, map[string][]string{"n2": nil}},
		{"the Pods are placed jointly", "two on one host are two neighbours",
			[]any{node("n1"), node("n2"), pod("a-1", on("n1"), app("a"), hostPort(80)), pod("a-2", on("n1"), app("a"), hostPort(80))},
			map[string][]string{"n2": {"a-2 host_ports node-level a-1"}}},
		{"a zone is coarser than a host", "no host of the zone would do",
			[]any{node("n1", label(zoneKey, "b")), node("n2", label(zoneKey, "a")), node("n3", label(zoneKey, "a")),
				pod("a-1", on("n1"), app("a"), apart("b", zoneKey)), pod("b-1", on("n3"), app("b"), asks(cpu, "4"))},
			map[string][]string{"n2": {"a-1 pod_anti_affinity coarser b-1"}, "n3": {"a-1 pod_anti_affinity coarser b-1"}}},
		{"so is spread over zones", "the count is the zone's",
			[]any{node("n1", label(zoneKey, "b")), node("n2", label(zoneKey, "a")),
				pod("a-1", on("n1"), app("a"), spreads("a", zoneKey, 1)), pod("a-2", on("n2"), app("a"))},
			map[string][]string{"n2": {"a-1 topology_spread coarser "}}},
		{"spread over hosts is not", "an empty host has none",
			[]any{node("n1"), node("n2"), pod("a-1", on("n1"), app("a"), spreads("a", host, 1)), pod("a-2", on("n2"), app("a"))},
			map[string][]string{"n2": {"a-1 topology_spread node-level "}}},
		{"a Pod that leaves may be the neighbour that another wants", "they come together",
			[]any{node("n1"), node("n2"), pod("a-1", on("n1"), app("a")), pod("b-1", on("n1"), app("b"), near("a", host))},
			map[string][]string{"n2": nil}},
		{"one that stays elsewhere is not there", "another host has it",
			[]any{node("n1"), node("n2"), node("n3"), pod("b-1", on("n1"), app("b"), near("a", host)), pod("a-1", on("n3"), app("a"))},
			map[string][]string{"n2": {"b-1 pod_affinity node-level "}, "n3": nil}},
		{"a taint keeps the placeholder out, too", "it tolerates the candidate's own alone",
			[]any{node("n1", taint("pool", "db")), node("n2", taint("pool", "db")), node("n3", taint("pool", "web")), small},
			map[string][]string{"n2": {"a-1 taints node-level "}}},
		{"DaemonSets stay and are neighbours", "they are not evicted",
			[]any{node("n1", label(zoneKey, "a")), node("n2", label(zoneKey, "a")), pod("d", daemon, on("n1"), app("d")),
				pod("a-1", on("n1"), app("a"), apart("d", zoneKey))}, map[string][]string{"n2": {"a-1 pod_anti_affinity coarser d"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, refusals(audit(t, question(tt.objects...)))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestAPodWithoutAPlace(t *testing.T) {
	r := audit(t, question(node("n1"), node("n2"), node("n3"),
		pod("a-1", on("n1"), asks(cpu, "3")), pod("a-2", on("n1"), asks(cpu, "1")), pod("b", on("n2"), asks(cpu, "1")), pod("c", on("n3"), asks(cpu, "3500m"))))
	first, second := r.Elsewhere[0], r.Elsewhere[1]
	if first.Node != "n2" || second.Node != "" || second.Nowhere() {
		t.Errorf("a-1 on %q; a-2 on %q, nowhere: %t", first.Node, second.Node, second.Nowhere())
	}
	if diff := cmp.Diff([]string{"n2"}, second.Possible); diff != "" {
		t.Errorf("a-2 would fit if a-1 landed otherwise (-want +got):\n%s", diff)
	}
}

func TestTheCandidateIsNeverAHost(t *testing.T) {
	q := question(node("n1"), pod("a-1", on("n1"), func(p *v1.Pod) {
		p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
	}))
	r := audit(t, q)
	if len(r.Hosts) > 0 || len(r.DrainSized.Absorb) > 0 || !r.Elsewhere[0].Nowhere() {
		t.Errorf("hosts %v, elsewhere %+v", r.Hosts, r.Elsewhere)
	}
}

func TestRequireSameNarrowsAtAPrice(t *testing.T) {
	kind := v1.LabelInstanceTypeStable
	q := question(node("n1", label(kind, "small")), node("n2", label(kind, "small")), node("n3", label(kind, "large"), has(cpu, "16")),
		pod("a-1", on("n1"), asks(cpu, "1")), pod("b-1", on("n3"), asks(cpu, "2")))
	suggested := audit(t, q).Narrowings
	want := []surge.Narrowing{{Label: kind, Value: "small", Excluded: []string{"n3"}, Nodes: 1, Of: 2}}
	if diff := cmp.Diff(want, suggested); diff != "" {
		t.Errorf("suggested (-want +got):\n%s", diff)
	}
	q.Placeholder.Same = []string{kind}
	r := audit(t, q)
	want[0].Required = true
	if diff := cmp.Diff(want, r.Narrowings); diff != "" {
		t.Errorf("required (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"n2"}, r.DrainSized.Absorb); diff != "" {
		t.Errorf("absorbing (-want +got):\n%s", diff)
	}
	q.Placeholder.Same = []string{"rack"}
	var lacks *surge.NoLabelError
	if _, err := surge.Audit(q); !errors.As(err, &lacks) || lacks.Label != "rack" {
		t.Errorf("got %v", err)
	}
}

func TestWhatTheAuditDoesNotKnowIsListed(t *testing.T) {
	claimed := pod("db-0", on("n1"), app("db"), func(p *v1.Pod) {
		p.OwnerReferences = nil
		p.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data-db-0"}}}}
	})
	tight := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db"}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: matching("db")}}
	r := audit(t, question(node("n1"), node("n2"), claimed, tight))
	if len(r.Pinned) != 1 || r.Pinned[0].Claim != "data-db-0" || r.Pinned[0].Volume != "data" {
		t.Errorf("pinned: %v", r.Pinned)
	}
	if len(r.Unmodelled) != 1 || !cmp.Equal(r.Unmodelled[0].What, []string{"volume binding"}) {
		t.Errorf("unmodelled: %v", r.Unmodelled)
	}
	if len(r.Unmanaged) != 1 || r.Unmanaged[0].Name != "db-0" {
		t.Errorf("unmanaged: %v", r.Unmanaged)
	}
	if len(r.Holds) != 1 || r.Holds[0].Budget.Name != "db" || r.Holds[0].Allowed != 0 || r.Holds[0].Pods[0].Name != "db-0" {
		t.Errorf("holds: %v", r.Holds)
	}
}

func TestAuditOfANodeThatIsNotThere(t *testing.T) {
	if _, err := surge.Audit(question(node("n2"))); !errors.Is(err, surge.ErrNoNode) {
		t.Errorf("got %v", err)
	}
}

func TestAuditOfWhatIsRefused(t *testing.T) {
	r := audit(t, question(node("n1"), node("n2", has(gpu, "1")), pod("a-1", on("n1"), asks(gpu, "1"))))
	if r.Placeholder != nil || len(r.Hosts) > 0 || len(r.DrainSized.Refused) != 1 {
		t.Errorf("placeholder %v, hosts %v", r.Placeholder, r.Hosts)
	}
	if r.Elsewhere[0].Node != "n2" {
		t.Errorf("a refusal says nothing of other nodes, and n2 has room: %+v", r.Elsewhere[0])
	}
}

// Whoever asks again after the placeholder was applied gets the answer of before.
func TestThePlaceholderThatIsThereAlreadyIsNoNeighbour(t *testing.T) {
	there := func(at string, change ...func(*v1.Pod)) *v1.Pod {
		unowned := func(p *v1.Pod) { p.Namespace, p.OwnerReferences = "default", nil }
		return pod("surge-n1", append([]func(*v1.Pod){unowned, on(at), asks(cpu, "3")}, change...)...)
	}
	objects := []any{node("n1"), node("n2"), pod("a-1", on("n1"), asks(cpu, "3")), pod("busy", on("n2"), asks(cpu, "1"))}
	before := audit(t, question(objects...))
	if len(before.DrainSized.Absorb) != 1 || before.Elsewhere[0].Node != "n2" {
		t.Fatalf("without it: %v, %+v", before.DrainSized.Absorb, before.Elsewhere)
	}
	tests := []struct {
		name, reason string
		pod          *v1.Pod
		standing     string
		unplaced     bool
	}{
		{"on the host it landed on", "it makes room when the Pods come", there("n2"), "n2", false},
		{"on the candidate itself", "it is not what has to land elsewhere", there("n1"), "n1", false},
		{"another namespace", "it is another Pod", there("n2", func(p *v1.Pod) { p.Namespace = "shop" }), "", true},
		{"one that something owns", "this project's has no owner", there("n2", func(p *v1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "x"}}
		}), "", true},
		{"a Pod that bears its label", "anyone may set it", there("n2", func(p *v1.Pod) {
			p.Name, p.Labels = "mine", map[string]string{"app.kubernetes.io/name": surge.AppName}
		}), "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := audit(t, question(append(objects, tt.pod)...))
			if r.Standing != tt.standing || len(r.Leaving) != 1 || r.DrainSized.Drain[cpu] != 3000 {
				t.Errorf("%s: standing %q, leaving %v, drain %v", tt.reason, r.Standing, r.Leaving, r.DrainSized.Drain)
			}
			if !tt.unplaced && len(r.DrainSized.Absorb) != 1 {
				t.Errorf("%s: absorbed by %v", tt.reason, r.DrainSized.Absorb)
			}
			if !tt.unplaced && len(r.Hosts[0].Refused) > 0 || (r.Elsewhere[0].Node == "") != tt.unplaced {
				t.Errorf("%s: hosts %+v, elsewhere %q", tt.reason, r.Hosts, r.Elsewhere[0].Node)
			}
		})
	}
}

// Of a dump that gives an object twice the last counts, as in the snapshot.
func TestAnObjectGivenTwiceCountsOnce(t *testing.T) {
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a"}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: matching("a-1")}}
	a, busy := pod("a-1", on("n1"), asks(cpu, "1")), pod("busy", on("n2"))
	once := []any{node("n1"), node("n2"), node("n3"), a, busy, budget}
	want := audit(t, question(once...))
	moved := pod("busy", on("n3"))
	got := audit(t, question(append([]any{moved, pod("gone", on("n1"))}, append(once, a, busy, budget, pod("gone", on("n1"), done))...)...))
	if len(got.Leaving) != 1 || got.DrainSized.Drain[cpu] != 1000 || len(got.Holds) != 1 {
		t.Errorf("leaving %v, drain %v, holds %v", got.Leaving, got.DrainSized.Drain, got.Holds)
	}
	if diff := cmp.Diff(want.Residuals, got.Residuals); diff != "" || len(got.Residuals) == 0 {
		t.Errorf("residuals (-want +got):\n%s", diff)
	}
}

func TestTheBudgetsThatHoldUpADrain(t *testing.T) {
	budget := func(name string, allowed int32, change ...func(*policyv1.PodDisruptionBudget)) *policyv1.PodDisruptionBudget {
		b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: matching("a")}}
		b.Status.DisruptionsAllowed = allowed
		for _, c := range change {
			c(b)
		}
		return b
	}
	policy := func(p policyv1.UnhealthyPodEvictionPolicyType) func(*policyv1.PodDisruptionBudget) {
		return func(b *policyv1.PodDisruptionBudget) { b.Spec.UnhealthyPodEvictionPolicy = &p }
	}
	healthy := func(current, desired int32) func(*policyv1.PodDisruptionBudget) {
		return func(b *policyv1.PodDisruptionBudget) {
			b.Status.CurrentHealthy, b.Status.DesiredHealthy = current, desired
		}
	}
	stale := func(b *policyv1.PodDisruptionBudget) { b.Generation = 2; b.Status.ObservedGeneration = 1 }
	isReady := func(p *v1.Pod) {
		p.Status.Conditions = []v1.PodCondition{{Type: v1.PodReady, Status: v1.ConditionTrue}}
	}
	tests := []struct {
		name, reason string
		pod          func(*v1.Pod)
		budgets      []any
		want         []string
	}{
		{"it allows none", "one leaves", isReady, []any{budget("x", 0)}, []string{"x " + surge.TooFew}},
		{"it allows one", "one leaves", isReady, []any{budget("x", 1)}, nil},
		{"two speak of one Pod", "the API answers 500, whatever they allow", isReady, []any{budget("y", 1), budget("x", 1)}, []string{"x " + surge.Shared, "y " + surge.Shared}},
		{"a pending Pod", "it is evicted without a budget", func(p *v1.Pod) { p.Status.Phase = v1.PodPending }, []any{budget("x", 0), budget("y", 0)}, nil},
		{"a Pod that is being deleted", "so is it", func(p *v1.Pod) { p.DeletionTimestamp = &metav1.Time{} }, []any{budget("x", 0)}, nil},
		{"a Pod that is not Ready", "the budget is not met", func(*v1.Pod) {}, []any{budget("x", 0, healthy(1, 2))}, []string{"x " + surge.TooFew}},
		{"one that may always go", "the policy says so", func(*v1.Pod) {}, []any{budget("x", 0, policy(policyv1.AlwaysAllow))}, nil},
		{"one of a budget that is met", "the others are healthy", func(*v1.Pod) {}, []any{budget("x", 0, healthy(2, 2), policy(policyv1.IfHealthyBudget))}, nil},
		{"one of a budget that wants none", "nothing healthy is desired", func(*v1.Pod) {}, []any{budget("x", 0, healthy(0, 0))}, []string{"x " + surge.TooFew}},
		{"a Ready one that may always go", "the policy is of others", isReady, []any{budget("x", 0, policy(policyv1.AlwaysAllow))}, []string{"x " + surge.TooFew}},
		{"a status of before", "evictions wait for the controller", isReady, []any{budget("x", 5, stale)}, []string{"x " + surge.Stale}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := audit(t, question(append(tt.budgets, node("n1"), pod("a", on("n1"), tt.pod))...))
			var got []string
			for _, hold := range r.Holds {
				got = append(got, hold.Budget.Name+" "+hold.Why)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
			if (len(r.Terminating) == 1) != (r.Leaving[0].Name == "a" && tt.name == "a Pod that is being deleted") {
				t.Errorf("terminating: %v", r.Terminating)
			}
		})
	}
}

func quota(namespace, hard, used string) *v1.ResourceQuota {
	q := &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "limit"}}
	q.Status.Hard = v1.ResourceList{v1.ResourcePods: resource.MustParse(hard)}
	q.Status.Used = v1.ResourceList{v1.ResourcePods: resource.MustParse(used)}
	return q
}

func TestAQuotaRefusesOnEveryNode(t *testing.T) {
	r := audit(t, question(node("n1"), node("n2"), pod("a", on("n1")), pod("b", on("n1")), quota("shop", "1", "2")))
	if got := r.Elsewhere[0]; got.Node != "n2" || got.OverQuota() != nil {
		t.Errorf("the first has a place: %+v", got)
	}
	if got := r.Elsewhere[1]; !got.Nowhere() || got.Class() != surge.Coarser || got.OverQuota() == nil {
		t.Errorf("the second is refused everywhere: %+v, %s", got, got.Class())
	}
	if r.DrainSized.OverQuota != nil {
		t.Errorf("the placeholder is of another namespace: %s", r.DrainSized.OverQuota)
	}
	r = audit(t, question(node("n1"), node("n2"), pod("a", on("n1")), quota("default", "1", "1")))
	if r.DrainSized.OverQuota == nil || len(r.DrainSized.Absorb) > 0 || r.Elsewhere[0].Node != "n2" {
		t.Errorf("its own quota refuses the placeholder alone: %+v", r.DrainSized)
	}
	full := audit(t, question(node("n1"), node("n2", has(cpu, "1")), pod("a", on("n1"), asks(cpu, "2")), quota("default", "1", "1")))
	if full.DrainSized.OverQuota == nil {
		t.Error("a quota refuses it though no node has room, either")
	}
	there := pod("surge-n1", on("n2"), func(p *v1.Pod) { p.Namespace, p.OwnerReferences = "default", nil })
	if r := audit(t, question(node("n1"), node("n2"), pod("a", on("n1")), there, quota("default", "1", "1"))); r.DrainSized.OverQuota != nil {
		t.Errorf("the one that is there has its share already: %s", r.DrainSized.OverQuota)
	}
}
