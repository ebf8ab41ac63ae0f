package review_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

func ask(req *review.Request, value string) {
	req.Pod.Metadata.Annotations = map[string]string{binaryaffinity.Annotation: value}
}

func TestNothingSoftensAMalformedValue(t *testing.T) {
	const message = `metadata.annotations[affinity.cozystack.io/binary][a]: Invalid value: "null": a weight must be an integer, is null; correct the annotation`
	const ofSet = " of the Pods of ReplicaSet web-7c"
	exemption := &v1alpha1.AffinityExemption{Spec: v1alpha1.AffinityExemptionSpec{Usernames: []string{"system:serviceaccount:cdi:importer"}, Reason: "imports"}}
	exemption.Name = "import"
	for _, tt := range []struct {
		reason string
		change func(*world, *review.Request)
		want   string
	}{
		{"a Pod that keeps its class", func(*world, *review.Request) {}, "Pod shop/web-7c-* (Postgres web): " + message + ofSet},
		{"one that breaks it is told of its value first", func(_ *world, r *review.Request) { r.Pod.Spec.NodeSelector = nil }, "Pod shop/web-7c-* (Postgres web): " + message + ofSet},
		{"a class that only records", func(w *world, _ *review.Request) {
			soft := class("dc1", "dc1")
			soft.Spec.EnforcementAction = v1alpha1.Audit
			w.classes, w.liveClasses = policy.New(soft), policy.New(soft)
		}, "Pod shop/web-7c-* (Postgres web): " + message + ofSet},
		{"an exempt creator", func(w *world, r *review.Request) {
			w.classes = w.classes.WithExemption(exemption)
			w.liveClasses, r.Creator.Username = w.classes, "system:serviceaccount:cdi:importer"
		}, "Pod shop/web-7c-* (Postgres web): " + message + ofSet},
		{"a Pod of nobody's", func(_ *world, r *review.Request) { r.Pod.Metadata.OwnerReferences = nil }, "Pod shop/web-7c-*: " + message},
		{"one with scheduling gates", func(_ *world, r *review.Request) {
			r.Pod.Spec.SchedulingGates = append(r.Pod.Spec.SchedulingGates, struct {
				Name string `json:"name"`
			}{"quota"})
		}, "Pod shop/web-7c-* (Postgres web): " + message + ofSet},
		{"an owner that is gone", func(w *world, _ *review.Request) { delete(w.cached, "ReplicaSet/web-7c") }, "Pod shop/web-7c-*: " + message},
		{"an owner that cannot be read", func(w *world, _ *review.Request) { w.failing["ReplicaSet"] = errors.New("timeout") }, "Pod shop/web-7c-*: " + message},
		{"classes that cannot be read", func(w *world, _ *review.Request) { w.liveClassesErr = errors.New("timeout") }, "Pod shop/web-7c-* (Postgres web): " + message + ofSet},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			for _, mode := range []policy.Mode{policy.Deny, policy.Warn, policy.Audit} {
				w, req := shop()
				ask(req, `{"a":null}`)
				req.Mode = mode
				tt.change(w, req)
				w.live = w.cached
				got := judge(w, req)
				if got.Kind != review.Denied || got.Reason != review.BinaryMalformed || got.Code != 400 {
					t.Errorf("%s: got %s %s %d", mode, got.Kind, got.Reason, got.Code)
				}
				if diff := cmp.Diff(tt.want, got.Message); diff != "" {
					t.Errorf("%s: %s", mode, diff)
				}
				if w.liveReads != 0 {
					t.Errorf("%s: %d live reads", mode, w.liveReads)
				}
			}
		})
	}
}

func TestAMirrorPodIsNotAskedAboutItsValue(t *testing.T) {
	w, req := shop()
	ask(req, "x")
	req.Pod.Metadata.Annotations[lineage.AnnotationMirrorPod] = "x"
	req.Creator.Groups = []string{"system:nodes"}
	if got := judge(w, req); got.Reason != review.MirrorPod {
		t.Errorf("got %s", got.Reason)
	}
	if ops := review.Terms(req); ops != nil {
		t.Errorf("got %v", ops)
	}
}

func TestWhoIsToldOfWeights(t *testing.T) {
	deployment := schema.GroupKind{Group: "apps", Kind: "Deployment"}
	under := func(w *world, owner *lineage.Object) {
		owner.Labels = map[string]string{lineage.LabelFluxName: "web"}
		set := w.cached["ReplicaSet/web-7c"]
		set.Labels, set.Owners = nil, []metav1.OwnerReference{{APIVersion: owner.Group + "/v1", Kind: owner.Kind, Name: owner.Name, UID: owner.UID}}
		w.cached[owner.Kind+"/"+owner.Name] = owner
	}
	for _, tt := range []struct {
		reason       string
		change       func(*world, *review.Request)
		warned, told bool
		by, top      string
	}{
		{"whoever makes a Pod, once for the controller", func(*world, *review.Request) {}, true, true, "uid-web-7c", "web-7c"},
		{"whoever makes one by hand", func(_ *world, r *review.Request) { r.Pod.Metadata.OwnerReferences = nil }, true, true, "", ""},
		{"an operator's Pods", func(w *world, _ *review.Request) {
			under(w, object(schema.GroupKind{Group: "postgresql.cnpg.io", Kind: "Cluster"}, "db"))
		}, true, true, "uid-web-7c", "db"},
		{"nobody of the Pods of a workload, whose author was told", func(w *world, _ *review.Request) { under(w, object(deployment, "web")) }, false, false, "", ""},
		{"nobody of words", func(_ *world, r *review.Request) { ask(r, `{"prefer_with_tag":["a"]}`) }, false, false, "", ""},
		{"nobody of a Pod that is refused", func(_ *world, r *review.Request) { r.Pod.Spec.NodeSelector = nil }, false, false, "", ""},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			w, req := shop()
			ask(req, `{"a":1}`)
			tt.change(w, req)
			w.live = w.cached
			got := judge(w, req)
			told := got.Facts.Weighted
			if (told != nil) != tt.told || (len(got.Warnings) == 1) != tt.warned {
				t.Fatalf("got %s, warnings %q, told %+v", got.Reason, got.Warnings, told)
			}
			if told == nil {
				return
			}
			top := ""
			if got.Facts.Top != nil {
				top = got.Facts.Top.Object.Name
			}
			if told.Once != tt.by || top != tt.top || told.Self.Object.Name != "web-7c-x2x4z" {
				t.Errorf("told of by %q, top %q, self %s", told.Once, top, told.Self.Object.Name)
			}
		})
	}
}

func TestOurWarningsLeaveRoomWithinTheBound(t *testing.T) {
	w, req := shop()
	wide := &v1alpha1.AffinityClass{}
	wide.Name, wide.Spec.EnforcementAction, wide.Spec.NodeSelector = "dc1", v1alpha1.Warn, map[string]string{}
	for _, key := range strings.Fields("a b c d e f g h i j") {
		wide.Spec.NodeSelector[key] = "x"
	}
	w.classes, w.liveClasses = policy.New(wide), policy.New(wide)
	ask(req, `{"a":1}`)
	got := review.New(w.begin, w, review.Options{}).Pod(context.Background(), req)
	if len(got.Warnings) != 8 || !strings.Contains(got.Warnings[0], "has weights") || got.Warnings[7] != "and 4 more" {
		t.Errorf("got %d: %q", len(got.Warnings), got.Warnings)
	}
}
