package review_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

func allLabels() review.LabelSet { return append(review.ApplicationLabels(), review.ClassLabels()...) }

func TestLabels(t *testing.T) {
	derived := map[string]string{
		lineage.LabelApplicationGroup: "apps.cozystack.io", lineage.LabelApplicationKind: "Postgres",
		lineage.LabelApplicationName: "web", policy.ClassLabel: "dc1",
	}
	set := func(path, value string) review.PatchOp {
		return review.PatchOp{Op: "add", Path: "/metadata/labels/apps.cozystack.io~1" + path, Value: value}
	}
	remove := func(path string) review.PatchOp {
		return review.PatchOp{Op: "remove", Path: "/metadata/labels/apps.cozystack.io~1" + path}
	}
	tests := []struct {
		name   string
		change func(*world, *review.Request)
		keep   review.LabelSet
		want   []review.PatchOp
	}{
		{"a Pod without labels gets them in one step", func(*world, *review.Request) {}, allLabels(),
			[]review.PatchOp{{Op: "add", Path: "/metadata/labels", Value: derived}}},
		{"other labels stay, ours are added beside them", func(_ *world, r *review.Request) { r.Pod.Metadata.Labels = map[string]string{"app": "web"} }, allLabels(),
			[]review.PatchOp{set("affinity-class", "dc1"), set("application.group", "apps.cozystack.io"), set("application.kind", "Postgres"), set("application.name", "web")}},
		{"a second pass changes nothing", func(_ *world, r *review.Request) { r.Pod.Metadata.Labels = derived }, allLabels(), nil},
		{"what a user wrote there is replaced", func(_ *world, r *review.Request) {
			r.Pod.Metadata.Labels = map[string]string{policy.ClassLabel: "dc2"}
		}, review.ClassLabels(), []review.PatchOp{set("affinity-class", "dc1")}},
		{"and removed where nothing can be derived", func(_ *world, r *review.Request) {
			r.Pod.Metadata.OwnerReferences = nil
			r.Pod.Metadata.Labels = map[string]string{policy.ClassLabel: "dc2", lineage.LabelApplicationName: "forged"}
		}, allLabels(), []review.PatchOp{remove("application.name"), remove("affinity-class")}},
		{"an owner that cannot be read sets nothing", func(w *world, r *review.Request) { w.failing["ReplicaSet"] = context.DeadlineExceeded }, allLabels(), nil},
		{"the labels of another lineage webhook are left alone", func(_ *world, r *review.Request) {
			r.Pod.Metadata.Labels = map[string]string{lineage.LabelApplicationName: "theirs"}
		}, review.ClassLabels(), []review.PatchOp{set("affinity-class", "dc1")}},
		{"a malformed class is no label of ours", func(w *world, r *review.Request) {
			w.cached["HelmRelease/web"] = release("web", "Dc_1")
			r.Pod.Metadata.Labels = map[string]string{"app": "web"}
		}, review.ClassLabels(), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, req := shop()
			tt.change(w, req)
			got := review.New(w.begin, w, review.Options{}).Labels(context.Background(), req, tt.keep)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnOverlongValueIsShortenedTheSameWayEveryTime(t *testing.T) {
	label := func(name string) string {
		w, req := shop()
		w.cached["HelmRelease/web"].Labels[lineage.LabelApplicationName] = name
		ops := review.New(w.begin, w, review.Options{}).Labels(context.Background(), req, review.ApplicationLabels())
		return ops[0].Value.(map[string]string)[lineage.LabelApplicationName]
	}
	long := strings.Repeat("a", 53) + "-" + strings.Repeat("b", 40)
	got := label(long)
	if errs := validation.IsValidLabelValue(got); len(errs) > 0 {
		t.Fatalf("%q is no label value: %v", got, errs)
	}
	if got != label(long) {
		t.Error("two shortenings of one value differ")
	}
	if got == label(long+"c") {
		t.Error("two values with one head share a label")
	}
}
