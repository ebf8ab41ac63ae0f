package placement_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func requests(t *testing.T, object string, nodes ...string) []*placement.Request {
	t.Helper()
	all, ok, err := placement.FromObject([]byte(object), placement.Copies{Nodes: nodes})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	return all
}

func TestANamespaceMayBeNamedTwice(t *testing.T) {
	p := pod("d", on("a"), apart("web", host))
	p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].Namespaces = []string{"ghost", "ghost"}
	s := cluster(node("a"), p)
	s.RemovePod(types.NamespacedName{Namespace: "shop", Name: "d"}) // which must not panic
	if s.Pods() != 0 {
		t.Error("the Pod is still there")
	}
}

func TestAStoredPodKeepsTheLabelKeysItWasCreatedWith(t *testing.T) {
	old := pod("old", on("a"), app("db"), revision("2"), apart("web", host))
	term := &old.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0]
	term.MatchLabelKeys = []string{"rev"}
	term.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "rev", Operator: metav1.LabelSelectorOpIn, Values: []string{"1"}}}
	for _, tt := range []struct{ revision, want string }{{"1", ""}, {"2", "a"}} {
		got := strings.Join(names(ask(t, cluster(node("a"), old), pod("web", revision(tt.revision)))), " ")
		if got != tt.want {
			t.Errorf("a Pod of revision %s has candidates %q, want %q: the holder was relabelled from 1 to 2", tt.revision, got, tt.want)
		}
	}
}

func TestAPodThatWasNeverSentMergesItsLabelKeys(t *testing.T) {
	p := pod("web", revision("2"), apart("web", host))
	p.UID = ""
	p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].MatchLabelKeys = []string{"rev"}
	p.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	text, _ := json.Marshal(p)
	s := cluster(node("a"), node("b"), pod("one", on("a"), app("web"), revision("1")), pod("two", on("b"), app("web"), revision("2")))
	if diff := cmp.Diff([]string{"a"}, names(s.Preview(requests(t, string(text))[0], placement.Options{}))); diff != "" {
		t.Errorf("candidates (-want +got):\n%s", diff)
	}
}

func TestWhatRunsAlreadyCountsOnce(t *testing.T) {
	set := workload("apps/v1", "StatefulSet", `"replicas":2,"template":{"metadata":{"labels":{"app":"web"}},
		"spec":{"containers":[{"name":"main","resources":{"requests":{"cpu":"3"}}}]}}`)
	s := cluster(node("a"), node("b"), pod("x", on("a")), pod("web-0", on("a"), asks("cpu", "3")))
	got := told(placement.Rank(s, requests(t, set), placement.Options{}))
	if diff := cmp.Diff([]string{"web-0 0 Fits b", "web-1 0 Fits a"}, got); diff != "" {
		t.Errorf("web-0 goes to the emptier node and leaves its own to web-1 (-want +got):\n%s", diff)
	}
	running := pod("web", on("a"))
	p := ask(t, cluster(node("a"), running, quota("pods=1", "pods=1")), running)
	if p.Verdict != placement.Fits {
		t.Errorf("a running Pod takes no second share of its quota: %s %s", p.Verdict, p.Aggregate())
	}
}

func TestQuotasAreThoseOfKubernetes(t *testing.T) {
	crossing := pod("web", apart("db", host))
	crossing.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution[0].NamespaceSelector = &metav1.LabelSelector{}
	roomy := node("a", allocatable("example.com/vcpu", "4"), allocatable("example.com/gpu", "4"))
	tests := []struct {
		name  string
		quota *v1.ResourceQuota
		pod   *v1.Pod
		want  placement.Verdict
	}{
		{"what a Pod does not use is not asked of a quota", quota("pods=10 services=1", "pods=1 services=2"), pod("web"), placement.Fits},
		{"only the cpu is counted in thousandths", quota("requests.example.com/vcpu=1", ""), pod("web", asks("example.com/vcpu", "2")), placement.NoCapacity},
		{"a term with a namespace selector is in the scope CrossNamespacePodAffinity",
			quota("pods=0", "", v1.ResourceQuotaScopeCrossNamespacePodAffinity), crossing, placement.Unsatisfiable},
		{"and one without is not", quota("pods=0", "", v1.ResourceQuotaScopeCrossNamespacePodAffinity), pod("web", apart("db", host)), placement.Fits},
		{"a device does not make a Pod better than BestEffort",
			quota("pods=0", "", v1.ResourceQuotaScopeBestEffort), pod("web", asks("example.com/gpu", "2")), placement.Unsatisfiable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := ask(t, cluster(roomy, tt.quota), tt.pod)
			if tt.want == placement.NoCapacity && p.Verdict == placement.Unsatisfiable {
				tt.want = p.Verdict // a request above the hard limit: no usage to free
			}
			if p.Verdict != tt.want {
				t.Errorf("%s %s, want %s", p.Verdict, p.Aggregate(), tt.want)
			}
		})
	}
}

func TestNodesThatAreAwayAreWaitedFor(t *testing.T) {
	deployment := workload("apps/v1", "Deployment", `"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"main"}]}}`)
	p := cluster(node("a", taint(v1.TaintNodeUnreachable, "", v1.TaintEffectNoExecute))).Preview(requests(t, deployment)[0], placement.Options{})
	if p.Verdict != placement.Fits {
		t.Errorf("the API server gives every Pod this toleration: %s", p.Aggregate())
	}
}

func TestFixesOfNodesAsTheyAre(t *testing.T) {
	explained := func(s *placement.Snapshot, p *v1.Pod) *placement.Preview {
		return s.Preview(request(t, p), placement.Options{Explain: true})
	}
	byHand := node("a", cordoned, taint(v1.TaintNodeUnschedulable, "", v1.TaintEffectNoSchedule))
	if fix := explained(cluster(byHand), pod("web")).Matrix[0].Fix; fix != "uncordon the node" {
		t.Errorf("kubectl cordon leaves the field and a taint: fix %q", fix)
	}
	p := explained(cluster(node("a"), pod("big", on("a"), asks("cpu", "5"))), pod("web", asks("cpu", "600m")))
	if p.Matrix[0].Fix != "1600m cpu short" || p.Shortfall.Short() != "1600m cpu" {
		t.Errorf("a node with 5 of 4 cpus in use: fix %q, short %q", p.Matrix[0].Fix, p.Shortfall.Short())
	}
}

func TestDevicesByTheNameOfAResource(t *testing.T) {
	wanting := pod("web", asks("example.com/gpu", "1"))
	name := "example.com/gpu"
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourcev1.DeviceClassSpec{ExtendedResourceName: &name}}
	s := cluster(node("a"), node("b", allocatable("example.com/gpu", "1")), pod("taker", on("b"), asks("example.com/gpu", "1")))
	if p := ask(t, s, wanting); p.Verdict != placement.NoCapacity {
		t.Errorf("without a device class: %s", p.Verdict)
	}
	s.SetDeviceClass(class)
	if diff := cmp.Diff([]string{"a"}, names(ask(t, s, wanting))); diff != "" {
		t.Errorf("a node that has none may have the device, one that has is full (-want +got):\n%s", diff)
	}
	s.RemoveDeviceClass("gpu")
	if p := ask(t, s, wanting); p.Verdict != placement.NoCapacity {
		t.Errorf("the device class is gone: %s", p.Verdict)
	}
	p := ask(t, cluster(node("a")), wanting)
	if diff := cmp.Diff([]string{"DRA allocation"}, p.Unmodelled); diff != "" {
		t.Errorf("no node has it: it may be a device's (-want +got):\n%s", diff)
	}
}

func TestNonsenseIsRefused(t *testing.T) {
	_, err := placement.FromPod(pod("web", asks("cpu", "-4")))
	if want := "read Pod shop/web: requests of cpu: -4 is less than nothing"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = placement.FromMachine([]byte(wants(`"antiAffinity":[{"labelSelector":{"tier":"web"}}]`)))
	if want := "read Machine vms/new: spec.placement.antiAffinity[0].topologyKey: required"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestNumbersOfAMachineHaveNoRange(t *testing.T) {
	s := cluster(node("a"), node("b"), placed("w", web, "a"), placed("d", `"tier":"db"`, "a"))
	weight := `{"weight":6000000000000000000,"labelSelector":{"tier":%q},"topologyKey":"kubernetes.io/hostname"}`
	machine := wants(`"preferredAffinity":[` + fmt.Sprintf(weight, "web") + "," + fmt.Sprintf(weight, "db") + `]`)
	if p := s.Preview(machineRequest(t, machine), placement.Options{}); p.Winner != "a" {
		t.Errorf("two great weights outweigh nothing: %s won", p.Winner)
	}
	r := machineRequest(t, vm("m", web, `"priority":3000000000`))
	if got := s.Priority(r); got != 3_000_000_000 {
		t.Errorf("priority %d", got)
	}
}

func TestNewNamespacesKeepTheOrderOfNames(t *testing.T) {
	for range 50 {
		pods := []*v1.Pod{pod("p-b", in("new"), apart("web", host)), pod("p-a", in("new"), apart("web", zoned)), pod("web", in("new"))}
		var all []*placement.Request
		for _, p := range pods {
			all = append(all, request(t, p))
		}
		last := placement.Rank(cluster(node("a", zone("z"))), all, placement.Options{})[2]
		if got := last.Stages[len(last.Stages)-1].Dropped[0].Reason.Blocking.Name; got != "p-a" {
			t.Fatalf("%s blocks, and p-a comes first", got)
		}
	}
}

func TestADaemonSetTakesItsOwnPlaces(t *testing.T) {
	set := workload("apps/v1", "DaemonSet", `"template":{"metadata":{"labels":{"app":"web"}},"spec":{"nodeSelector":{"gpu":"1"},
		"containers":[{"name":"main","ports":[{"containerPort":9100,"hostPort":9100}]}]}}`)
	controller := true
	owned := func(p *v1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web", Controller: &controller}}
	}
	s := cluster(node("a"), node("b", label("gpu", "1")), pod("web-x", on("b"), app("web"), hostPort(9100), owned))
	all := requests(t, set, "a", "b")
	if s.Expected(all[0]) || !s.Expected(all[1]) {
		t.Error("its controller makes a Pod for b and none for a")
	}
	if p := s.Preview(all[1], placement.Options{}); p.Verdict != placement.Fits {
		t.Errorf("its own Pod there stands in its way: %s", p.Aggregate())
	}
}

// A Pod can name any resource; names that are gone must leave nothing behind.
func TestNamesOfResourcesAreGivenAwayAgain(t *testing.T) {
	s := cluster(node("a", allocatable("example.com/keep", "2")), node("b"))
	for i := range 1000 {
		name := v1.ResourceName(fmt.Sprintf("example.com/r%d", i))
		s.SetNode(node("b", allocatable(name, "1")))
		s.SetPod(pod("p", on("b"), asks(name, "1")))
		if p := ask(t, s, pod("web", asks(name, "1"))); p.Verdict != placement.NoCapacity {
			t.Fatalf("%s: %s %s", name, p.Verdict, p.Aggregate())
		}
		s.RemovePod(types.NamespacedName{Namespace: "shop", Name: "p"})
		if got := strings.Join(names(ask(t, s, pod("web", asks(name, "1")))), " "); got != "b" {
			t.Fatalf("%s: candidates %q", name, got)
		}
	}
	if got := strings.Join(names(ask(t, s, pod("web", asks("example.com/keep", "2")))), " "); got != "a" {
		t.Errorf("candidates %q, want a", got)
	}
}

func TestAResizeOfAPlacedPodCountsAtItsGreatest(t *testing.T) {
	p := pod("big", on("a"), asks("cpu", "1"))
	p.Status.ContainerStatuses = []v1.ContainerStatus{{Name: "main",
		AllocatedResources: v1.ResourceList{"cpu": resource.MustParse("3")},
		Resources:          &v1.ResourceRequirements{Requests: v1.ResourceList{"cpu": resource.MustParse("3")}}}}
	if got := ask(t, cluster(node("a"), p), pod("web", asks("cpu", "2"))); got.Verdict != placement.NoCapacity {
		t.Errorf("the Pod has not given 2 of its 3 cpus back: %s", got.Verdict)
	}
}

func TestPreferencesOfAPodAddUp(t *testing.T) {
	soft := func(app string, weight int32) []v1.WeightedPodAffinityTerm {
		return []v1.WeightedPodAffinityTerm{{Weight: weight, PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: matching(app), TopologyKey: host}}}
	}
	p := pod("new")
	affinity(p).PodAffinity = &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: soft("web", 20)}
	affinity(p).PodAntiAffinity = &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: soft("db", 7)}
	affinity(p).NodeAffinity = &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{{
		Weight: 5, Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "disk", Operator: v1.NodeSelectorOpIn, Values: []string{"ssd"}}}}}}}
	toleration(v1.Toleration{Key: "soft", Operator: v1.TolerationOpExists})(p)
	got := ask(t, cluster(node("a", taint("soft", "", v1.TaintEffectPreferNoSchedule)), node("b", label("disk", "ssd")), node("c"),
		pod("web", on("a")), pod("db", on("b"))), p)
	var scores []string
	for _, c := range got.Candidates {
		scores = append(scores, fmt.Sprintf("%s %d %v", c.Node, c.Score, c.Terms))
	}
	want := []string{
		"a 19 [{load -1} {preferredAffinity 20}]", "c 0 [{load 0}]",
		"b -3 [{load -1} {preferredAntiAffinity -7} {nodeAffinity 5}]",
	}
	if diff := cmp.Diff(want, scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

func TestAMachineIsNotItsOwnNeighbour(t *testing.T) {
	apartFromWeb := `"antiAffinity":[{"labelSelector":{"tier":"web"},"topologyKey":"kubernetes.io/hostname"}]`
	running := vm("m", web, `"nodeName":"a","placement":{`+apartFromWeb+`}`)
	p := cluster(node("a"), running).Preview(machineRequest(t, running), placement.Options{})
	if p.Verdict != placement.Fits {
		t.Errorf("%s %s", p.Verdict, p.Aggregate())
	}
}

func TestTolerationsOfAMachine(t *testing.T) {
	tainted := cluster(node("a", taint("dedicated", "gpu", v1.TaintEffectNoSchedule)))
	for _, tt := range []struct{ name, toleration, want string }{
		{"an empty key with Exists tolerates everything", `{"operator":"Exists"}`, "a"},
		{"an unknown operator matches nothing", `{"key":"dedicated","operator":"Like","value":"gpu"}`, ""},
		{"nor does it with the wildcard's key", `{"operator":"Any"}`, ""},
		{"an equal value does", `{"key":"dedicated","value":"gpu"}`, "a"},
	} {
		p := tainted.Preview(machineRequest(t, wants(`"tolerations":[`+tt.toleration+`]`)), placement.Options{})
		if got := strings.Join(names(p), " "); got != tt.want {
			t.Errorf("%s: candidates %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestADaemonSetInOneLookTakesItsOwnPlaces(t *testing.T) {
	set := workload("apps/v1", "DaemonSet", `"template":{"metadata":{"labels":{"app":"web"}},"spec":{
		"containers":[{"name":"main","resources":{"requests":{"cpu":"3"}},"ports":[{"containerPort":9100,"hostPort":9100}]}]}}`)
	r, err := placement.FromDaemonSet([]byte(set))
	if err != nil {
		t.Fatal(err)
	}
	controller := true
	owned := func(p *v1.Pod) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "web", Controller: &controller}}
	}
	s := cluster(node("a"), node("b"), node("c"), pod("other", on("c"), hostPort(9100)),
		pod("web-x", on("b"), app("web"), asks("cpu", "3"), hostPort(9100), owned))
	got := names(s.Preview(r, placement.Options{}))
	slices.Sort(got)
	if diff := cmp.Diff([]string{"a", "b"}, got); diff != "" {
		t.Errorf("its Pod on b gives up its place, that of another on c does not (-want +got):\n%s", diff)
	}
}
