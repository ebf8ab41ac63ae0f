package review_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

// world is a cluster in memory, with a cached and a live view that may differ.
type world struct {
	cached, live   map[string]*lineage.Object
	failing        map[string]error // by kind
	classes        *policy.Snapshot
	liveClasses    *policy.Snapshot
	liveClassesErr error
	liveReads      int
}

func (w *world) begin(string) review.Reads { return reads{w} }

type reads struct{ *world }

func (r reads) Get(_ context.Context, ref lineage.Ref) (*lineage.Object, error) {
	return r.find(r.cached, ref)
}
func (r reads) Live() lineage.Getter { return liveReads(r) }

type liveReads struct{ *world }

func (r liveReads) Get(_ context.Context, ref lineage.Ref) (*lineage.Object, error) {
	r.liveReads++
	return r.find(r.live, ref)
}

func (w *world) find(in map[string]*lineage.Object, ref lineage.Ref) (*lineage.Object, error) {
	if err := w.failing[ref.Kind]; err != nil {
		return nil, fmt.Errorf("read %s: %w", ref, err)
	}
	if object := in[ref.Kind+"/"+ref.Name]; object != nil {
		return object, nil
	}
	return nil, lineage.ErrNotFound
}

func (w *world) Current(context.Context, string) (*policy.Snapshot, error) { return w.classes, nil }
func (w *world) Live(context.Context, string, []string) (*policy.Snapshot, error) {
	return w.liveClasses, w.liveClassesErr
}

func class(name, zone string) *v1alpha1.AffinityClass {
	c := &v1alpha1.AffinityClass{}
	c.Name = name
	c.Spec.NodeSelector = map[string]string{"zone": zone, "disk": "ssd"}
	return c
}

func object(kind schema.GroupKind, name string, owners ...*lineage.Object) *lineage.Object {
	o := &lineage.Object{GroupKind: kind, Namespace: "shop", Name: name, UID: types.UID("uid-" + name)}
	for i, owner := range owners {
		controller := i == 0
		o.Owners = append(o.Owners, metav1.OwnerReference{
			APIVersion: owner.Group + "/v1", Kind: owner.Kind, Name: owner.Name, UID: owner.UID, Controller: &controller,
		})
	}
	return o
}

func release(name, className string) *lineage.Object {
	o := object(lineage.HelmRelease, name)
	o.Release = &lineage.Release{}
	o.Labels = map[string]string{
		lineage.LabelApplicationGroup: "apps.cozystack.io", lineage.LabelApplicationKind: "Postgres", lineage.LabelApplicationName: name,
	}
	if className != "" {
		o.Labels[policy.ClassLabel] = className
	}
	return o
}

var replicaSet = schema.GroupKind{Group: "apps", Kind: "ReplicaSet"}

// shop is a ReplicaSet deployed by a release that names dc1.
func shop() (*world, *review.Request) {
	owner := object(replicaSet, "web-7c")
	owner.Labels = map[string]string{lineage.LabelFluxName: "web"}
	objects := map[string]*lineage.Object{"ReplicaSet/web-7c": owner, "HelmRelease/web": release("web", "dc1")}
	classes := policy.New(class("dc1", "dc1"), class("dc2", "dc2"))
	w := &world{cached: objects, live: objects, failing: map[string]error{}, classes: classes, liveClasses: classes}
	return w, podOf(owner)
}

func podOf(owners ...*lineage.Object) *review.Request {
	pod := object(schema.GroupKind{Kind: "Pod"}, "", owners...)
	return &review.Request{Namespace: "shop", Pod: review.Pod{
		Metadata: review.Metadata{Name: "web-7c-x2x4z", GenerateName: "web-7c-", OwnerReferences: pod.Owners},
		Spec:     review.Spec{Constraints: affinityclass.Constraints{NodeSelector: map[string]string{"zone": "dc1", "disk": "ssd"}}},
	}}
}

func judge(w *world, req *review.Request) review.Verdict {
	return review.New(w.begin, w, review.Options{}).Pod(context.Background(), req)
}

func TestPodVerdicts(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*world, *review.Request)
		kind    review.Kind
		reason  review.Reason
		code    int32
		message string
	}{
		{"a Pod that keeps its class is allowed", func(*world, *review.Request) {},
			review.Allowed, review.ContractKept, 0, ""},
		{"a Pod that forgets the selector is told each pair", func(_ *world, r *review.Request) { r.Pod.Spec.NodeSelector = map[string]string{"zone": "dc2"} },
			review.Denied, review.ContractBroken, 403,
			`Pod shop/web-7c-* (Postgres web): AffinityClass "dc1" requires nodeSelector disk=ssd (found none), nodeSelector zone=dc1 (found "dc2"); set it in spec.nodeSelector of the Pods of ReplicaSet web-7c`},
		{"a release without a class governs nothing", func(w *world, _ *review.Request) { w.cached["HelmRelease/web"] = release("web", "") },
			review.NotGoverned, review.NoClass, 0, ""},
		{"a class that does not exist may still be made", func(w *world, _ *review.Request) { w.classes, w.liveClasses = policy.New(), policy.New() },
			review.Denied, review.ClassNotFound, 409,
			`Pod shop/web-7c-* (Postgres web): AffinityClass "dc1" not found; have the platform admin create it, or name another class on the application`},
		{"a label that is no name of a class is malformed", func(w *world, _ *review.Request) { w.cached["HelmRelease/web"] = release("web", "Dc_1") },
			review.Denied, review.ClassMalformed, 400, ""},
		{"a class stored without a selector holds nothing", func(w *world, _ *review.Request) {
			empty := &v1alpha1.AffinityClass{}
			empty.Name = "dc1"
			w.classes, w.liveClasses = policy.New(empty), policy.New(empty)
		}, review.Denied, review.ClassInvalid, 403, ""},
		{"a Pod that nothing owns is not governed", func(_ *world, r *review.Request) { r.Pod.Metadata.OwnerReferences = nil },
			review.NotGoverned, review.NoRelease, 0, ""},
		{"an owner that is gone is a conflict", func(w *world, _ *review.Request) { delete(w.cached, "ReplicaSet/web-7c") },
			review.Denied, review.OwnerBroken, 409,
			"Pod shop/web-7c-*: an owner reference leads to no such object; recreate it under an owner that exists, or without the owner reference"},
		{"an owner under another uid is worded the same", func(w *world, _ *review.Request) {
			other := object(replicaSet, "web-7c")
			other.UID = "another"
			w.cached["ReplicaSet/web-7c"] = other
		}, review.Denied, review.OwnerBroken, 409,
			"Pod shop/web-7c-*: an owner reference leads to no such object; recreate it under an owner that exists, or without the owner reference"},
		{"an owner that could not be read is unknown, not unmanaged", func(w *world, _ *review.Request) { w.failing["ReplicaSet"] = errors.New("i/o timeout at 10.0.0.1") },
			review.Unknown, review.OwnerUnreadable, 503,
			"Pod shop/web-7c-*: its owner, a ReplicaSet.apps, could not be read now; this may say nothing about the Pod itself: try again"},
		{"a forbidden kind names the role to extend", func(w *world, _ *review.Request) { w.failing["ReplicaSet"] = lineage.ErrForbidden },
			review.Unknown, review.OwnerForbidden, 403,
			"Pod shop/web-7c-*: its owner's kind ReplicaSet.apps may not be read by the affinity webhook; have the platform admin add the kind to ClusterRole affinity-webhook-owner-kinds (chart value ownerKinds)"},
		{"a kind nobody serves is lasting too", func(w *world, _ *review.Request) { w.failing["ReplicaSet"] = lineage.ErrNoKind },
			review.Unknown, review.OwnerForbidden, 403,
			"Pod shop/web-7c-*: its owner's kind ReplicaSet.apps is not served by this cluster; remove the owner reference, or have the platform admin install the kind"},
		{"nobody is asked to open Secrets to us", func(w *world, r *review.Request) {
			r.Pod.Metadata.OwnerReferences[0].APIVersion, r.Pod.Metadata.OwnerReferences[0].Kind = "v1", "Secret"
			w.failing["Secret"] = lineage.ErrForbidden
		}, review.Unknown, review.OwnerForbidden, 403,
			"Pod shop/web-7c-*: its owner's kind Secret may not be read by the affinity webhook; remove the owner reference: Secrets are never read"},
		{"a mirror Pod made by a node is not governed", func(_ *world, r *review.Request) {
			r.Pod.Spec.NodeSelector = nil
			r.Pod.Metadata.Annotations = map[string]string{lineage.AnnotationMirrorPod: "x"}
			r.Creator.Groups = []string{"system:nodes"}
		}, review.NotGoverned, review.MirrorPod, 0, ""},
		{"the mirror annotation of anybody else is no evidence", func(_ *world, r *review.Request) {
			r.Pod.Spec.NodeSelector = nil
			r.Pod.Metadata.Annotations = map[string]string{lineage.AnnotationMirrorPod: "x"}
		}, review.Denied, review.ContractBroken, 403, ""},
		{"labels on the Pod are no evidence", func(_ *world, r *review.Request) {
			r.Pod.Metadata.Labels = map[string]string{policy.ClassLabel: "dc2"}
			r.Pod.Spec.NodeSelector = map[string]string{"zone": "dc2", "disk": "ssd"}
		}, review.Denied, review.ContractBroken, 403, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, req := shop()
			tt.change(w, req)
			w.live = w.cached
			got := judge(w, req)
			if got.Kind != tt.kind || got.Reason != tt.reason || got.Code != tt.code {
				t.Fatalf("got %s %s %d: %s, want %s %s %d", got.Kind, got.Reason, got.Code, got.Message, tt.kind, tt.reason, tt.code)
			}
			if tt.message != "" && got.Message != tt.message {
				t.Errorf("message\n got %s\nwant %s", got.Message, tt.message)
			}
			if (got.Code == 0) != got.Admits() {
				t.Errorf("code %d with admits=%v", got.Code, got.Admits())
			}
		})
	}
}

func TestADenialRestsOnLiveReads(t *testing.T) {
	tests := []struct {
		name   string
		change func(*world)
		want   review.Kind
		reason review.Reason
	}{
		{"a class that the cache has not heard of yet", func(w *world) { w.classes = policy.New() }, review.Allowed, review.ContractKept},
		{"a release whose class changed meanwhile", func(w *world) {
			w.cached = map[string]*lineage.Object{"ReplicaSet/web-7c": w.live["ReplicaSet/web-7c"], "HelmRelease/web": release("web", "dc2")}
		}, review.Allowed, review.ContractKept},
		{"a class that could not be read again is not a denial", func(w *world) {
			w.classes, w.liveClassesErr = policy.New(), errors.New("timeout")
		}, review.Unknown, review.ClassUnreadable},
		{"a class we may not read again", func(w *world) {
			w.classes, w.liveClassesErr = policy.New(), apierrors.NewForbidden(schema.GroupResource{Resource: "affinityclasses"}, "dc1", nil)
		}, review.Unknown, review.ClassForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, req := shop()
			tt.change(w)
			if got := judge(w, req); got.Kind != tt.want || got.Reason != tt.reason {
				t.Errorf("got %s %s: %s, want %s %s", got.Kind, got.Reason, got.Message, tt.want, tt.reason)
			}
		})
	}
}

func TestAnAllowedPodReadsNothingLive(t *testing.T) {
	w, req := shop()
	w.liveClassesErr = errors.New("must not be asked")
	if got := judge(w, req); got.Kind != review.Allowed || w.liveReads != 0 {
		t.Errorf("got %s after %d live reads", got.Kind, w.liveReads)
	}
}

func TestAmbiguousReleases(t *testing.T) {
	one, other := object(replicaSet, "one"), object(replicaSet, "other")
	one.Labels = map[string]string{lineage.LabelFluxName: "web"}
	other.Labels = map[string]string{lineage.LabelFluxName: "db"}
	req := podOf(one, other)
	no := false
	req.Pod.Metadata.OwnerReferences[0].Controller = &no
	tests := []struct {
		name        string
		first, last string
		reason      review.Reason
		code        int32
	}{
		{"one class in both is that class", "dc1", "dc1", review.ContractKept, 0},
		{"the class of one is kept where the other has none", "dc1", "", review.ContractKept, 0},
		{"no Pod keeps two classes that contradict each other", "dc1", "dc2", review.ClassesConflict, 409},
		{"a class that is kept by neither is a broken contract", "dc2", "", review.ContractBroken, 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := shop()
			w.cached = map[string]*lineage.Object{"ReplicaSet/one": one, "ReplicaSet/other": other,
				"HelmRelease/web": release("web", tt.first), "HelmRelease/db": release("db", tt.last)}
			w.live = w.cached
			got := judge(w, req)
			if got.Reason != tt.reason || got.Code != tt.code {
				t.Fatalf("got %s %d: %s", got.Reason, got.Code, got.Message)
			}
			if tt.reason == review.ClassesConflict && (!strings.Contains(got.Message, `"dc1"`) || !strings.Contains(got.Message, `"dc2"`)) {
				t.Errorf("the conflict does not name both classes: %s", got.Message)
			}
		})
	}
}

func TestARefusalCarriesItsGrounds(t *testing.T) {
	w, req := shop()
	req.Pod.Spec.NodeSelector = nil
	got := judge(w, req)
	want := []metav1.StatusCause{
		{Type: review.CauseViolation, Field: "spec.nodeSelector[disk]", Message: `AffinityClass "dc1": nodeSelector disk=ssd is required, found none`},
		{Type: review.CauseViolation, Field: "spec.nodeSelector[zone]", Message: `AffinityClass "dc1": nodeSelector zone=dc1 is required, found none`},
		{Type: review.CauseOfClass, Message: "dc1"},
		{Type: review.CauseOfRelease, Message: "shop/web"},
		{Type: review.CauseOfLineage, Message: "Pod shop/web-7c-* < ReplicaSet web-7c < HelmRelease shop/web"},
	}
	if diff := cmp.Diff(want, got.Causes); diff != "" {
		t.Error(diff)
	}
	if got.Facts.Top == nil || got.Facts.Top.Object.Name != "web-7c" || got.Facts.Top.APIVersion != "apps/v1" || got.Facts.Release.Name != "web" || got.Facts.Action != "Deny" {
		t.Errorf("facts: %+v", got.Facts)
	}
}

func TestAMessageNeverSaysWhatAReadFoundOut(t *testing.T) {
	w, req := shop()
	w.failing["ReplicaSet"] = errors.New("secret detail")
	got := judge(w, req)
	if strings.Contains(got.Message, "secret detail") || strings.Contains(fmt.Sprint(got.Causes), "secret detail") {
		t.Errorf("the error of a read reached the user: %s", got.Message)
	}
	if got.Facts.Err == nil {
		t.Error("the log has no error to show")
	}
}

func TestAGivenClassGovernsEveryPod(t *testing.T) {
	w, req := shop()
	req.Pod.Metadata.OwnerReferences = nil
	got := review.New(w.begin, w, review.Options{Class: "dc2"}).Pod(context.Background(), req)
	if got.Kind != review.Denied || got.Violations[0].Class != "dc2" {
		t.Errorf("got %s %s", got.Kind, got.Message)
	}
}

func TestATemplateIsWalkedFromItsOwner(t *testing.T) {
	w, req := shop()
	req.Pod = review.Pod{}
	req.Template = &review.Template{Owner: w.cached["ReplicaSet/web-7c"], Path: "spec.template"}
	got := judge(w, req)
	const want = `ReplicaSet shop/web-7c (Postgres web): AffinityClass "dc1" requires nodeSelector disk=ssd (found none), nodeSelector zone=dc1 (found none); set it in spec.template.spec.nodeSelector`
	if got.Message != want {
		t.Errorf("got  %s\nwant %s", got.Message, want)
	}
}
