package placement_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// bears gives a Pod tags; its label's value is of no account.
func bears(tags ...string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		for _, tag := range tags {
			p.Labels[binaryaffinity.TagPrefix+tag] = "any"
		}
	}
}

// binary gives a Pod a value.
func binary(text string) func(*v1.Pod) {
	return func(p *v1.Pod) { p.Annotations = map[string]string{binaryaffinity.Annotation: text} }
}

// translated gives a Pod the terms of its value, as admission does.
func translated(p *v1.Pod) {
	parsed, errs := binaryaffinity.Of(p.Annotations, binaryaffinity.Path(nil))
	if len(errs) > 0 {
		panic(errs)
	}
	p.Spec.Affinity = binaryaffinity.Translate(parsed.Value, p.Spec.Affinity).Append(p.Spec.Affinity)
}

func nameless(n *v1.Node) { delete(n.Labels, v1.LabelHostname) }

const (
	withWeb      = `{"require_with_tag":["web"]}`
	withoutBatch = `{"require_without_tag":["batch"]}`
	noWeb        = "require_with_tag web: no Pod there bears it"
	hasBatch     = "require_without_tag batch: a Pod there bears it"
)

func TestWhatABinaryValueRequires(t *testing.T) {
	web, batch := pod("web", on("a"), bears("web")), pod("job", on("a"), bears("batch"))
	tests := []struct {
		reason string
		state  []any
		pod    *v1.Pod
		want   string // candidates, by name
		why    string // the aggregate
	}{
		{"with a tag, only where it is", []any{node("a"), node("b"), web}, pod("new", binary(withWeb)), "a", "1 node(s): " + noWeb},
		{"without a tag, only where it is not", []any{node("a"), node("b"), batch}, pod("new", binary(withoutBatch)), "b", "1 node(s): " + hasBatch},
		{"translated, the native stages leave it to this one", []any{node("a"), node("b"), web}, pod("new", binary(withWeb), translated), "a", "1 node(s): " + noWeb},
		{"and so they do for what is to be without", []any{node("a"), node("b"), batch}, pod("new", binary(withoutBatch), translated), "b", "1 node(s): " + hasBatch},
		{"two tags are wanted of one neighbour", []any{node("a"), web, pod("db", on("a"), bears("db"))}, pod("new", binary(`{"require_with_tag":["db","web"]}`)), "",
			"1 node(s): require_with_tag: no one Pod there bears all the tags"},
		{"it is judged last", []any{node("a", cordoned), node("b")}, pod("new", binary(withWeb)), "", "1 node(s): node unschedulable; 1 node(s): " + noWeb},
		{"the first of a group is refused, whatever the terms would allow", []any{node("a")}, pod("new", bears("web"), binary(withWeb), translated), "", "1 node(s): " + noWeb},
		{"a Pod is no neighbour of its own", []any{node("a"), pod("new", on("a"), bears("web"))}, pod("new", bears("web"), binary(withWeb)), "", "1 node(s): " + noWeb},
		{"nor in its own way", []any{node("a"), pod("new", on("a"), bears("batch"))}, pod("new", bears("batch"), binary(withoutBatch)), "a", ""},
		{"a predecessor of the same name is one", []any{node("a"), web}, pod("web", func(p *v1.Pod) { p.UID = "another" }, binary(withWeb)), "a", ""},
		{"a tag in another namespace does not satisfy", []any{node("a"), pod("web", in("bank"), on("a"), bears("web"))}, pod("new", binary(withWeb)), "", "1 node(s): " + noWeb},
		{"nor does it trip", []any{node("a"), pod("job", in("bank"), on("a"), bears("batch"))}, pod("new", binary(withoutBatch)), "a", ""},
		{"a finished Pod counts for nothing", []any{node("a"), pod("web", on("a"), bears("web"), done)}, pod("new", binary(withWeb)), "", "1 node(s): " + noWeb},
		{"a Machine bears no tag", []any{node("a"), machineOn("a", binaryaffinity.TagPrefix+"web")}, pod("new", binary(withWeb)), "", "1 node(s): " + noWeb},
		{"a node without a hostname satisfies nobody who is to be with a tag", []any{node("a", nameless), web}, pod("new", binary(withWeb)), "", "1 node(s): node has no label kubernetes.io/hostname"},
		{"who is to be without one is told by the node", []any{node("a", nameless), node("b", nameless), batch}, pod("new", binary(withoutBatch)), "b", "1 node(s): " + hasBatch},
		{"a value that cannot be read asks nothing", []any{node("a")}, pod("new", binary(`{"require_with_tag":"web"}`)), "a", ""},
		{"a preference drops nobody", []any{node("a"), batch}, pod("new", binary(`{"prefer_without_tag":["batch"]}`), translated), "a", ""},
		{"a term of the Pod's own that no word says stays a term", []any{node("a"), node("b"), web}, pod("new", binary(`{"prefer_with_tag":["web"]}`), near("web", host)), "a",
			"1 node(s): pod affinity app=web on " + host + " not satisfied"},
		{"the terms of a Pod that is there repel", []any{node("a"), node("b"), pod("db", on("a"), binary(withoutBatch), translated)}, pod("new", bears("batch")), "b",
			"1 node(s): refused by the anti-affinity of a Pod there: " + binaryaffinity.TagPrefix + "batch on " + host},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			p := ask(t, cluster(tt.state...), tt.pod)
			got := names(p)
			slices.Sort(got)
			if diff := cmp.Diff([]string{tt.want, tt.why}, []string{strings.Join(got, " "), p.Aggregate()}); diff != "" {
				t.Errorf("candidates and reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// machineOn is a placed Machine with a label.
func machineOn(name, label string) string {
	return `{"apiVersion":"kairon.zyvor.dev/v1alpha1","kind":"Machine","metadata":{"namespace":"shop","name":"vm","labels":{"` +
		label + `":""}},"spec":{"nodeName":"` + name + `"}}`
}

// What is there may have come and gone; the tags must follow.
func TestTagsFollowThePods(t *testing.T) {
	asking := pod("new", binary(withWeb))
	s := cluster(node("a"), pod("web-1", on("a"), app("web"), bears("web")), pod("web-2", on("a"), app("web"), bears("web")))
	step := func(reason, want string) {
		t.Helper()
		if got := strings.Join(names(ask(t, s, asking)), " "); got != want {
			t.Errorf("%s: candidates %q, want %q", reason, got, want)
		}
	}
	step("two bear it", "a")
	remove(s, pod("web-1"))
	step("one bears it", "a")
	s.SetPod(pod("web-2", on("a"), app("web")))
	step("the last has lost its tag", "")
	s.SetPod(pod("web-2", on("a"), app("web"), bears("web")))
	step("it has it again", "a")
	s.SetPod(pod("web-2", on("a"), app("web"), bears("web"), done))
	step("it is finished", "")
}

func TestWhoStandsInTheWay(t *testing.T) {
	asking := pod("new", binary(`{"require_with_tag":["web"],"require_without_tag":["batch"]}`))
	tests := []struct {
		reason, want, fix string
		there             []any
	}{
		{"one alone, it is to be moved", hasBatch + ": shop/job", "move shop/job away",
			[]any{pod("job", on("a"), bears("batch")), pod("web", on("a"), bears("web"))}},
		{"of two the first is named, and moving it is not enough", hasBatch + ": shop/job-1", "",
			[]any{pod("job-2", on("a"), bears("batch")), pod("job-1", on("a"), bears("batch")), pod("web", on("a"), bears("web"))}},
		{"the one in the way is the one to be with", hasBatch + ": shop/both", "", []any{pod("both", on("a"), bears("batch", "web"))}},
		{"nobody is in the way of being alone", noWeb, "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := cluster(append(tt.there, node("a"))...)
			p := s.Preview(request(t, asking), placement.Options{Explain: true})
			row := p.Matrix[0]
			if len(row.Reasons) != 1 || row.Reasons[0].Stage != binaryaffinity.Stage {
				t.Fatalf("got %+v", row)
			}
			if diff := cmp.Diff([]string{tt.want, tt.fix}, []string{row.Reasons[0].Reason.String(), row.Fix}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Those placed in one Rank are neighbours of those that follow, in their own
// namespace alone.
func TestRankShowsTags(t *testing.T) {
	with, without := pod("new", binary(withWeb)), pod("new", binary(withoutBatch))
	tests := []struct {
		reason string
		pods   []*v1.Pod
		want   []string
	}{
		{"the second finds the tag of the first", []*v1.Pod{pod("one", bears("web")), with}, []string{"one 0 Fits a", "new 0 Fits a"}},
		{"but not that of another namespace", []*v1.Pod{pod("one", in("bank"), bears("web")), with}, []string{"one 0 Fits a", "new 0 Unsatisfiable"}},
		{"the second meets the tag of the first", []*v1.Pod{pod("one", bears("batch")), without}, []string{"one 0 Fits a", "new 0 Unsatisfiable"}},
		{"but not that of another namespace either", []*v1.Pod{pod("one", in("bank"), bears("batch")), without}, []string{"one 0 Fits a", "new 0 Fits a"}},
		{"one placed keeps what it is to be without away", []*v1.Pod{without, pod("two", bears("batch"))}, []string{"new 0 Fits a", "two 0 Unsatisfiable"}},
		{"and does so by the terms it was given", []*v1.Pod{pod("new", binary(withoutBatch), translated), pod("two", bears("batch"))}, []string{"new 0 Fits a", "two 0 Unsatisfiable"}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var requests []*placement.Request
			for _, p := range tt.pods {
				requests = append(requests, request(t, p))
			}
			if diff := cmp.Diff(tt.want, told(placement.Rank(cluster(node("a")), requests, placement.Options{}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAffinityOfItsOwnBesideTheValueIsListedAsNotModelled(t *testing.T) {
	for _, tt := range []struct {
		reason string
		pod    *v1.Pod
		want   []string
	}{
		{"the scheduler wants one neighbour for both", pod("new", near("db", host), binary(withWeb), translated), []string{"pod affinity beside require_with_tag"}},
		{"the value's own terms are not the Pod's own", pod("new", binary(withWeb), translated), nil},
		{"what is to be without asks no neighbour", pod("new", near("db", host), binary(withoutBatch), translated), nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ask(t, cluster(node("a")), tt.pod).Unmodelled); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
