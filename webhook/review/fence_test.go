package review_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

var pastTime = metav1.NewTime(time.Unix(0, 0))

// tenantPod is a Pod of a tenant, in a zone, and of a release with a class if one is named.
func tenantPod(w *world, zone, class string) *review.Request {
	req := &review.Request{Namespace: atHome}
	req.Pod.Metadata.Name = "web-1"
	if zone != "" {
		req.Pod.Spec.NodeSelector = map[string]string{"zone": zone}
	}
	if class != "" {
		withParent(class)(w)
		req.Pod.Metadata.Labels = map[string]string{lineage.LabelFluxName: "app"}
	}
	return req
}

func TestTheFence(t *testing.T) {
	warning := simple("dc3")
	warning.Spec.EnforcementAction = v1alpha1.Warn
	for _, tt := range []struct {
		name, zone, class string
		change            func(*world, *review.Request)
		kind              review.Kind
		reason            review.Reason
		message           string
	}{
		{"a Pod of nobody is held", "", "", nil, review.Denied, review.FenceBroken,
			`Pod tenant-acme/web-1: it may leave its tenant's AffinityClasses: a node with no labels would be accepted by the Pod but is in none of the allowed classes: "dc1", "dc2", "dc9"; `},
		{"and passes inside", "dc2", "", nil, review.Allowed, review.FenceKept, ""},
		{"a class that keeps the fence is enough", "dc1", "dc1", nil, review.Allowed, review.ContractKept, ""},
		{"both are told", "dc3", "dc1", nil, review.Denied, review.FenceBroken, `AffinityClass "dc1" requires nodeSelector zone=dc1 (found "dc3")`},
		{"a class that is not allowed opens nothing", "dc3", "dc3", nil, review.Denied, review.FenceBroken, "zone=dc3"},
		{"one that only warns opens nothing", "dc3", "dc3", func(w *world, _ *review.Request) { w.classes = w.classes.With(warning) },
			review.Denied, review.FenceBroken, "zone=dc3"},
		{"inside the fence the class still holds", "dc2", "dc1", nil, review.Denied, review.ContractBroken, ""},
		{"the namespace's mode is the fence's", "", "", func(_ *world, r *review.Request) { r.Mode = policy.Warn }, review.Warned, review.FenceBroken, ""},
		{"audit lets pass", "", "", func(_ *world, r *review.Request) { r.Mode = policy.Audit }, review.Allowed, review.FenceBroken, ""},
		{"a lost Tenant closes it", "dc1", "", func(w *world, _ *review.Request) { w.classes = w.classes.WithoutTenant("tenant-root", "acme") },
			review.Denied, review.FenceBroken, "no AffinityClass is allowed; have the platform admin restore the Tenant"},
		{"an empty list closes it", "dc1", "", func(w *world, _ *review.Request) {
			w.classes = w.classes.WithTenant(policy.Tenant{Namespace: "tenant-root", Name: "acme", Allowed: []string{}})
		}, review.Denied, review.FenceBroken, "its tenant allows no AffinityClass"},
		{"without a list there is none", "", "", func(w *world, _ *review.Request) {
			w.classes = w.classes.WithTenant(policy.Tenant{Namespace: "tenant-root", Name: "acme"})
		}, review.NotGoverned, review.NoRelease, ""},
		{"a Pod with gates is told at once and judged later", "", "", func(_ *world, r *review.Request) {
			r.Pod.Spec.SchedulingGates = append(r.Pod.Spec.SchedulingGates, struct {
				Name string `json:"name"`
			}{"g"})
		}, review.Allowed, review.Gated, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tenantWorld()
			req := tenantPod(w, tt.zone, tt.class)
			if tt.change != nil {
				tt.change(w, req)
			}
			w.liveClasses = w.classes
			v := judge(w, req)
			if v.Kind != tt.kind || v.Reason != tt.reason || !strings.Contains(v.Message, tt.message) {
				t.Errorf("got %s %s: %s", v.Kind, v.Reason, v.Message)
			}
		})
	}
}

func TestAPodOfAFormerClassPassesUntilTheChangeIsDone(t *testing.T) {
	for _, tt := range []struct {
		name, zone, previous string
		settled              bool
		want                 review.Reason
	}{
		{"the current one", "dc2", "dc1", false, review.ContractKept},
		{"the former one", "dc1", "dc1", false, review.ClassChanging},
		{"not when the change is done", "dc1", "dc1", true, review.ContractBroken},
		{"nor any other", "dc9", "dc1", false, review.FenceBroken},
		{"nor one outside the fence", "dc3", "dc3", false, review.FenceBroken},
		{"from no class to one, the fence still holds", "dc1", "-", false, review.ClassChanging},
		{"and only it", "", "-", false, review.FenceBroken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tenantWorld()
			req := tenantPod(w, tt.zone, "dc2")
			release := w.cached["HelmRelease/app"]
			release.Annotations = map[string]string{policy.PreviousAnnotation: tt.previous}
			release.Release = &lineage.Release{Generation: 2, ObservedGeneration: 2, Ready: tt.settled}
			if v := judge(w, req); v.Reason != tt.want {
				t.Errorf("got %s %s: %s", v.Kind, v.Reason, v.Message)
			}
		})
	}
}

// The parent is done with its change while the part that it deploys is not.
func TestAPodOfAPartPassesUntilThePartFollows(t *testing.T) {
	for _, tt := range []struct {
		name, zone              string
		class, source, previous string
		settled                 bool
		want                    review.Reason
	}{
		{"before the part is told", "dc1", "dc1", "parent", "", true, review.ClassChanging},
		{"while its own upgrade is not done", "dc1", "dc2", "parent", "dc1", false, review.ClassChanging},
		{"the new class passes meanwhile", "dc2", "dc2", "parent", "dc1", false, review.ContractKept},
		{"not when it is done", "dc1", "dc2", "parent", "dc1", true, review.ContractBroken},
		{"a class that it chose itself counts for nothing", "dc1", "dc1", "explicit", "", true, review.ContractBroken},
		{"nor does one outside the fence", "dc3", "dc3", "parent", "", true, review.FenceBroken},
		{"from no class to one, before it is told", "dc1", "", "", "", true, review.ContractBroken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tenantWorld()
			req := tenantPod(w, tt.zone, "dc2")
			parent := w.cached["HelmRelease/app"]
			parent.Release = &lineage.Release{Generation: 2, ObservedGeneration: 2, Ready: true}
			part := object(lineage.HelmRelease, "part")
			part.Namespace = atHome
			part.Labels = map[string]string{lineage.LabelFluxName: "app", policy.ClassLabel: tt.class}
			part.Annotations = map[string]string{policy.SourceAnnotation: tt.source, policy.PreviousAnnotation: tt.previous}
			part.Release = &lineage.Release{Generation: 2, ObservedGeneration: 2, Ready: tt.settled}
			w.cached["HelmRelease/part"], w.live["HelmRelease/part"] = part, part
			req.Pod.Metadata.Labels[lineage.LabelFluxName] = "part"
			if v := judge(w, req); v.Reason != tt.want {
				t.Errorf("got %s %s: %s", v.Kind, v.Reason, v.Message)
			}
		})
	}
}
