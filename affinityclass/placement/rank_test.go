package placement_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

func class(name string) func(*v1.Pod) { return func(p *v1.Pod) { p.Spec.PriorityClassName = name } }

// told is what became of each request, in the order they were placed.
func told(previews []*placement.Preview) []string {
	var lines []string
	for _, p := range previews {
		line := fmt.Sprintf("%s %d %s", p.Object.Name, p.Priority, p.Verdict)
		if p.Winner != "" {
			line += " " + p.Winner
		}
		lines = append(lines, line)
	}
	return lines
}

func TestRankPlacesByPriority(t *testing.T) {
	classes := []any{
		placement.PriorityClass{Name: "high", Value: 10}, placement.PriorityClass{Name: "low", Value: -5},
		placement.PriorityClass{Name: "usual", Value: 1, GlobalDefault: true},
	}
	big := asks("cpu", "4")
	tests := []struct {
		name  string
		state []any
		pods  []*v1.Pod
		want  []string
	}{
		{"the last room goes to the highest, and equals keep their order", append(classes, node("a")),
			[]*v1.Pod{pod("low", big, class("low")), pod("first", big), pod("second", big), pod("high", big, class("high"))},
			[]string{"high 10 Fits a", "first 1 NoCapacity", "second 1 NoCapacity", "low -5 NoCapacity"}},
		{"without classes all are 0", []any{node("a")}, []*v1.Pod{pod("one"), pod("two")}, []string{"one 0 Fits a", "two 0 Fits a"}},
		{"each sees the load of those before it", []any{node("a"), node("b"), pod("db", on("a"))},
			[]*v1.Pod{pod("one"), pod("two", selects(host, "b"))}, []string{"one 0 Fits b", "two 0 Fits b"}},
		{"and their host ports", []any{node("a")}, []*v1.Pod{pod("one", hostPort(80)), pod("two", hostPort(80))},
			[]string{"one 0 Fits a", "two 0 Unsatisfiable"}},
		{"and their anti-affinity", []any{node("a")}, []*v1.Pod{pod("one", apart("two", host)), pod("two")},
			[]string{"one 0 Fits a", "two 0 Unsatisfiable"}},
		{"and may be near them", []any{node("a"), node("b")}, []*v1.Pod{pod("one", selects(host, "b")), pod("two", near("one", host))},
			[]string{"one 0 Fits b", "two 0 Fits b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var requests []*placement.Request
			for _, p := range tt.pods {
				requests = append(requests, request(t, p))
			}
			s := cluster(tt.state...)
			before := s.Generation()
			if diff := cmp.Diff(tt.want, told(placement.Rank(s, requests, placement.Options{}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Generation() != before {
				t.Error("the snapshot was changed")
			}
		})
	}
}

func TestRankAsksWhatIf(t *testing.T) {
	big := asks("cpu", "4")
	requests := []*placement.Request{request(t, pod("one", big)), request(t, pod("two", big)).WithPriority(7)}
	previews := placement.Rank(cluster(node("a")), requests, placement.Options{})
	if diff := cmp.Diff([]string{"two 7 Fits a", "one 0 NoCapacity"}, told(previews)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if previews[0].Index != 1 {
		t.Errorf("the first preview is of request %d, want 1", previews[0].Index)
	}
}

func quota(hard, used string, scopes ...v1.ResourceQuotaScope) *v1.ResourceQuota {
	read := func(text string) v1.ResourceList {
		list := v1.ResourceList{}
		for field := range strings.FieldsSeq(text) {
			name, amount, _ := strings.Cut(field, "=")
			list[v1.ResourceName(name)] = resource.MustParse(amount)
		}
		return list
	}
	q := &v1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "q"}}
	q.Spec.Hard, q.Spec.Scopes, q.Status.Used = read(hard), scopes, read(used)
	return q
}

func TestQuota(t *testing.T) {
	high := placement.PriorityClass{Name: "high", Value: 10}
	tests := []struct {
		name  string
		quota *v1.ResourceQuota
		pods  []*v1.Pod
		want  []string
	}{
		{"the last unit goes to the highest priority", quota("pods=3", "pods=2"), []*v1.Pod{pod("one"), pod("two", class("high"))},
			[]string{"two 10 Fits a", "one 0 NoCapacity"}},
		{"requests are claimed one after another", quota("requests.cpu=1", ""), []*v1.Pod{pod("one", asks("cpu", "600m")), pod("two", asks("cpu", "600m"))},
			[]string{"one 0 Fits a", "two 0 NoCapacity"}},
		{"what no quota could ever grant is unsatisfiable", quota("cpu=1", ""), []*v1.Pod{pod("one", asks("cpu", "2"))}, []string{"one 0 Unsatisfiable"}},
		{"a quota of another scope does not count", quota("pods=0", "", v1.ResourceQuotaScopeTerminating), []*v1.Pod{pod("one")}, []string{"one 0 Fits a"}},
		{"one of this scope does", quota("pods=0", "", v1.ResourceQuotaScopeBestEffort), []*v1.Pod{pod("one")}, []string{"one 0 Unsatisfiable"}},
		{"another namespace's does not", quota("pods=0", ""), []*v1.Pod{pod("one", in("other"))}, []string{"one 0 Fits a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var requests []*placement.Request
			for _, p := range tt.pods {
				requests = append(requests, request(t, p))
			}
			previews := placement.Rank(cluster(node("a"), high, tt.quota), requests, placement.Options{})
			if diff := cmp.Diff(tt.want, told(previews)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestQuotaSaysWhatIsShort(t *testing.T) {
	s := cluster(node("a"), quota("requests.cpu=1", "requests.cpu=800m"))
	p := ask(t, s, pod("one", asks("cpu", "500m")))
	if got, want := p.Aggregate(), "1 node(s): quota q: requests.cpu requests 500m, only 200m free"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := p.Shortfall; s == nil || s.Quota != "shop/q" || s.Short() != "300m requests.cpu" {
		t.Errorf("got %+v", s)
	}
}

func TestMachineQuota(t *testing.T) {
	s := cluster(node("a"), placed("m", web, "a"))
	s.SetMachineQuota(placement.MachineQuota{Namespace: "vms", Name: "q", Hard: v1.ResourceList{"machines": resource.MustParse("2")}})
	requests := []*placement.Request{
		machineRequest(t, vm("one", web, "")), machineRequest(t, vm("urgent", web, `"priority":10`)),
	}
	want := []string{"urgent 10 Fits a", "one 0 NoCapacity"}
	if diff := cmp.Diff(want, told(placement.Rank(s, requests, placement.Options{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
