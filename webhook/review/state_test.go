package review_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/webhook/review"
)

// placedAt is a cluster's state from memory and live, which may differ.
type placedAt struct {
	cached, live []any // nodes and Pods; cached nil: not complete yet
	err          error
	reads, lists int
	tags         []string
}

func (p *placedAt) Read(f func(*placement.Snapshot)) bool {
	p.reads++
	if p.cached == nil {
		return false
	}
	f(snapshotOf(p.cached))
	return true
}

func (p *placedAt) Live(_ context.Context, namespace string, tags []string) (*placement.Snapshot, error) {
	p.lists++
	p.tags = tags
	return snapshotOf(p.live), p.err
}

func snapshotOf(objects []any) *placement.Snapshot {
	s := placement.NewSnapshot()
	for _, object := range objects {
		switch object := object.(type) {
		case *corev1.Node:
			s.SetNode(object)
		case *corev1.Pod:
			s.SetPod(object)
		}
	}
	return s
}

// ssd is a node that the Pod's own constraints allow, dc2 one that they do not.
func ssd(name string) *corev1.Node { return nodeIn(name, "dc1") }
func dc2(name string) *corev1.Node { return nodeIn(name, "dc2") }

func nodeIn(name, zone string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, "zone": zone, "disk": "ssd"}}}
	n.Status.Allocatable = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10")}
	return n
}

// bearer is a placed Pod with a tag.
func bearer(namespace, node, tag string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace, Name: tag + "-on-" + node, Labels: map[string]string{binaryaffinity.TagPrefix + tag: ""},
	}}
	p.Spec.NodeName = node
	return p
}

func full(n *corev1.Node) *corev1.Node {
	n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("1")
	return n
}

func cordoned(n *corev1.Node) *corev1.Node {
	n.Spec.Unschedulable = true
	n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}}
	return n
}

// bound has a Pod name its node.
func bound(r *review.Request) { r.Pod.Spec.NodeName = "n1" }

// asks gives a Pod a value and, as the mutating side does, the terms of it.
func asks(t *testing.T, req *review.Request, text string) {
	t.Helper()
	parsed, errs := binaryaffinity.Parse(text, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	req.Pod.Metadata.Annotations = map[string]string{binaryaffinity.Annotation: text, binaryaffinity.TranslatedAnnotation: parsed.Value.String()}
	terms := binaryaffinity.Translate(parsed.Value, nil).Append(nil)
	if terms != nil {
		req.Pod.Spec.Affinity = &affinityclass.Affinity{PodAffinity: terms.PodAffinity, PodAntiAffinity: terms.PodAntiAffinity}
	}
}

const (
	withWeb  = `{"require_with_tag":["web"]}`
	noBatch  = `{"require_without_tag":["batch"]}`
	refusing = `Pod shop/web-7c-* (Postgres web): affinity_constraints: {"require_with_tag":["web"]} leaves it none of the 2 node(s) ` +
		`that its constraints on nodes allow: 2 node(s): require_with_tag web: no Pod there bears it; `
	tripping = `Pod shop/web-7c-* (Postgres web): affinity_constraints: {"require_without_tag":["batch"]} leaves it none of the 1 node(s) ` +
		`that its constraints on nodes allow: 1 node(s): require_without_tag batch: a Pod there bears it; `
	later  = "it may pass when the placed Pods of its namespace are others: try again then, or change the annotation"
	unread = "Pod shop/web-7c-* (Postgres web): whether a node satisfies what it requires of its neighbours "
)

func TestWhatAPodRequiresIsHeldAgainstThePresentState(t *testing.T) {
	nodes := []any{ssd("n1"), ssd("n2"), dc2("n3")}
	with := func(more ...any) []any { return append(slices.Clone(nodes), more...) }
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no"))
	tests := []struct {
		name    string
		value   string
		state   placedAt
		change  func(*review.Request)
		reason  review.Reason
		message string
		lists   int // live
	}{
		{name: "a bearer on a node that fits lets it in", value: withWeb, state: placedAt{cached: with(bearer("shop", "n1", "web"))}, reason: review.ContractKept},
		{name: "a bearer elsewhere does not", value: withWeb, state: placedAt{cached: with(bearer("shop", "n3", "web")), live: with(bearer("shop", "n3", "web"))},
			reason: review.RequireUnsatisfied, message: refusing + later, lists: 1},
		{name: "a bearer that memory has not seen lets it in", value: withWeb, state: placedAt{cached: nodes, live: with(bearer("shop", "n2", "web"))},
			reason: review.ContractKept, lists: 1},
		{name: "before memory is complete the live read tells", value: withWeb, state: placedAt{live: nodes}, reason: review.RequireUnsatisfied, message: refusing + later, lists: 1},
		{name: "and lets in as well", value: withWeb, state: placedAt{live: with(bearer("shop", "n2", "web"))}, reason: review.ContractKept, lists: 1},
		{name: "every node bears what it is to be without", value: noBatch, state: placedAt{cached: []any{ssd("n1"), bearer("shop", "n1", "batch")}, live: []any{ssd("n1"), bearer("shop", "n1", "batch")}},
			reason: review.RequireUnsatisfied, message: tripping + later, lists: 1},
		{name: "a full node is no conflict", value: withWeb, state: placedAt{cached: []any{full(ssd("n1")), ssd("n2"), bearer("shop", "n1", "web")}}, reason: review.ContractKept},
		{name: "a full cluster hides no conflict", value: withWeb, state: placedAt{cached: []any{full(ssd("n1")), full(ssd("n2")), bearer("shop", "n1", "other"), bearer("shop", "n2", "other")},
			live: []any{full(ssd("n1")), full(ssd("n2"))}}, reason: review.RequireUnsatisfied, message: refusing + later, lists: 1},
		{name: "where no node fits for another reason the scheduler tells", value: withWeb, state: placedAt{cached: []any{dc2("n3")}}, reason: review.ContractKept},
		{name: "a tag in another namespace does not satisfy", value: withWeb, state: placedAt{cached: with(bearer("bank", "n1", "web")), live: with(bearer("bank", "n1", "web"))},
			reason: review.RequireUnsatisfied, message: refusing + later, lists: 1},
		{name: "nor does it trip", value: noBatch, state: placedAt{cached: []any{ssd("n1"), bearer("bank", "n1", "batch")}}, reason: review.ContractKept},
		{name: "a Pod that names its node is not let in from memory", value: withWeb, change: bound, state: placedAt{cached: with(bearer("shop", "n1", "web")), live: nodes},
			reason: review.RequireUnsatisfied, message: strings.ReplaceAll(refusing, "2 node(s)", "1 node(s)") + later, lists: 1},
		{name: "nor past the cordon that it passes", value: withWeb, change: bound, state: placedAt{cached: []any{cordoned(ssd("n1"))}, live: []any{cordoned(ssd("n1"))}},
			reason: review.RequireUnsatisfied, message: strings.ReplaceAll(refusing, "2 node(s)", "1 node(s)") + later, lists: 1},
		{name: "but where live says so, too", value: withWeb, change: bound, state: placedAt{cached: with(bearer("shop", "n1", "web")), live: with(bearer("shop", "n1", "web"))},
			reason: review.ContractKept, lists: 1},
		{name: "the first of its group is told how to begin one", value: withWeb, state: placedAt{cached: nodes, live: nodes},
			change: func(r *review.Request) {
				r.Pod.Metadata.Labels = map[string]string{binaryaffinity.TagPrefix + "web": ""}
			},
			reason: review.RequireUnsatisfied, lists: 1, message: refusing + "it bears web itself and no placed Pod of its namespace does: " +
				"begin the group with a Pod that bears the tag and does not ask for it, or ask by prefer_with_tag"},
		{name: "neither mode nor exemption softens it", value: withWeb, state: placedAt{live: nodes}, change: func(r *review.Request) { r.Mode = "audit" },
			reason: review.RequireUnsatisfied, message: refusing + later, lists: 1},
		{name: "a list that fails denies nothing and lets nothing in", value: withWeb, state: placedAt{cached: nodes, err: errors.New("etcd is away")},
			reason: review.NeighboursUnreadable, message: unread + "could not be read now; this may say nothing about the Pod itself: try again", lists: 1},
		{name: "a list that is forbidden names the role", value: withWeb, state: placedAt{cached: nodes, err: forbidden},
			reason: review.NeighboursForbidden, message: unread + "may not be read by the affinity webhook; have the platform admin restore the webhook's ClusterRole", lists: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, req := shop()
			asks(t, req, tt.value)
			if tt.change != nil {
				tt.change(req)
			}
			v := review.New(w.begin, w, review.Options{State: &tt.state}).Pod(t.Context(), req)
			if v.Reason != tt.reason || v.Message != tt.message || tt.state.lists != tt.lists {
				t.Errorf("%s, %d live lists, want %s, %d\n got %q\nwant %q", v.Reason, tt.state.lists, tt.reason, tt.lists, v.Message, tt.message)
			}
			if code := map[review.Reason]int32{review.RequireUnsatisfied: 409, review.NeighboursUnreadable: 503, review.NeighboursForbidden: 403}[tt.reason]; v.Code != code {
				t.Errorf("code %d, want %d", v.Code, code)
			}
			if v.Admits() != (tt.message == "") || (v.Kind == review.Denied) != (tt.reason == review.RequireUnsatisfied) {
				t.Errorf("the verdict is %s", v.Kind)
			}
			for _, secret := range []string{"n1", "n2", "n3", "bank", "on-n"} {
				if strings.Contains(v.Message, secret) {
					t.Errorf("the message tells %q: %s", secret, v.Message)
				}
			}
		})
	}
}

func TestAPodThatRequiresNothingReadsNothing(t *testing.T) {
	for _, value := range []string{"", `{}`, `{"prefer_with_tag":["web"],"prefer_without_tag":["batch"]}`, `{"web":100}`} {
		w, req := shop()
		if value != "" {
			asks(t, req, value)
		}
		state := &placedAt{err: errors.New("must not be asked")}
		v := review.New(w.begin, w, review.Options{State: state}).Pod(t.Context(), req)
		if !v.Admits() || state.reads+state.lists > 0 {
			t.Errorf("%s: %s, %d reads and %d lists", value, v.Reason, state.reads, state.lists)
		}
	}
}

// A Pod that breaks its class is refused for good: what it requires is not looked at.
func TestABrokenContractIsToldFirst(t *testing.T) {
	w, req := shop()
	asks(t, req, withWeb)
	req.Pod.Spec.NodeSelector = nil
	state := &placedAt{}
	v := review.New(w.begin, w, review.Options{State: state}).Pod(t.Context(), req)
	if v.Reason != review.ContractBroken || state.reads+state.lists > 0 {
		t.Errorf("%s, %d reads and %d lists", v.Reason, state.reads, state.lists)
	}
}

func TestARequirementMayBeOnlyWarnedAbout(t *testing.T) {
	tests := []struct {
		name   string
		action v1alpha1.EnforcementAction
		gates  string
		err    error
		want   string
	}{
		{name: "by the option", action: v1alpha1.Warn, want: "no Pod there bears it"},
		{name: "by the option, when it cannot be told", action: v1alpha1.Warn, err: errors.New("etcd is away"), want: "could not be read now"},
		{name: "while the Pod has scheduling gates", gates: "quota", want: "no Pod there bears it"},
		{name: "while it has them, when it cannot be told", gates: "quota", err: errors.New("etcd is away"), want: "could not be read now"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, req := shop()
			asks(t, req, withWeb)
			if tt.gates != "" {
				req.Pod = gatedBy(req.Pod, tt.gates)
			}
			state := &placedAt{live: []any{ssd("n1")}, err: tt.err}
			v := review.New(w.begin, w, review.Options{State: state, UnsatisfiableRequire: tt.action}).Pod(t.Context(), req)
			if v.Kind != review.Allowed || v.Reason != review.ContractKept || v.Message != "" {
				t.Errorf("%s %s: %s", v.Kind, v.Reason, v.Message)
			}
			reason := review.RequireUnsatisfied
			if tt.err != nil {
				reason = review.NeighboursUnreadable
			}
			if v.Facts.Tolerated != reason || !errors.Is(v.Facts.Err, tt.err) {
				t.Errorf("the record has %s, %v, want %s, %v", v.Facts.Tolerated, v.Facts.Err, reason, tt.err)
			}
			if len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0], tt.want) || len(v.Warnings[0]) > 256 {
				t.Errorf("warnings %q, want one that has %q", v.Warnings, tt.want)
			}
		})
	}
}

// When the last gate goes the Pod is judged by what it required at its creation: by
// the terms that bind it, and not by what its annotation says by now.
func TestARequirementIsJudgedWhenTheLastGateGoes(t *testing.T) {
	const kept = "it may pass when the placed Pods of its namespace are others: try again then; the Pod keeps the terms that it was created with"
	tests := []struct {
		name, created, annotation string // "-": taken away
		want                      review.Reason
		message                   string
	}{
		{"the annotation is as it was", withWeb, withWeb, review.RequireUnsatisfied, refusing + kept},
		{"the annotation asks since, and no term does", `{}`, withWeb, review.ContractKept, ""},
		{"the annotation is taken away, and the terms stay", withWeb, "-", review.RequireUnsatisfied, refusing + kept},
		{"the annotation is emptied, and the terms stay", withWeb, `{}`, review.RequireUnsatisfied, refusing + kept},
		{"the annotation names another tag", withWeb, noBatch, review.RequireUnsatisfied, refusing + kept},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, req := shop()
			asks(t, req, tt.created)
			if req.Pod.Metadata.Annotations[binaryaffinity.Annotation] = tt.annotation; tt.annotation == "-" {
				delete(req.Pod.Metadata.Annotations, binaryaffinity.Annotation)
			}
			old := gatedBy(req.Pod, "quota")
			state := &placedAt{live: []any{ssd("n1"), ssd("n2")}}
			v := review.New(w.begin, w, review.Options{State: state}).Update(t.Context(), req, &old)
			if v.Reason != tt.want || v.Message != tt.message {
				t.Errorf("%s: %s", v.Reason, v.Message)
			}
		})
	}
}

// A term that the Pod had of its own is kube-scheduler's alone, before and after a gate.
func TestATermOfItsOwnIsNotJudgedWhenTheLastGateGoes(t *testing.T) {
	w, req := shop()
	asks(t, req, withWeb)
	req.Pod.Metadata.Annotations = nil
	old := gatedBy(req.Pod, "quota")
	state := &placedAt{}
	v := review.New(w.begin, w, review.Options{State: state}).Update(t.Context(), req, &old)
	if !v.Admits() || state.reads+state.lists > 0 {
		t.Errorf("%s, %d reads and %d lists", v.Reason, state.reads, state.lists)
	}
}

func gatedBy(pod review.Pod, gate string) review.Pod {
	pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, struct {
		Name string `json:"name"`
	}{gate})
	return pod
}
