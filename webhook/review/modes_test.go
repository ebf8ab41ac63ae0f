package review_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/webhook/review"
)

func acting(action v1alpha1.EnforcementAction) *policy.Snapshot {
	c := class("dc1", "dc1")
	c.Spec.EnforcementAction = action
	return policy.New(c)
}

func TestTheMilderOfNamespaceAndClassDecides(t *testing.T) {
	denied, warned, audited := review.Denied, review.Warned, review.Allowed
	tests := []struct {
		mode   policy.Mode
		action v1alpha1.EnforcementAction
		want   review.Kind
	}{
		{"", "", denied}, {"", v1alpha1.Deny, denied}, {"nonsense", "Nonsense", denied},
		{policy.Deny, v1alpha1.Deny, denied}, {policy.Deny, v1alpha1.Warn, warned}, {policy.Deny, v1alpha1.Audit, audited},
		{policy.Warn, v1alpha1.Deny, warned}, {policy.Warn, v1alpha1.Warn, warned}, {policy.Warn, v1alpha1.Audit, audited},
		{policy.Audit, v1alpha1.Deny, audited}, {policy.Audit, v1alpha1.Warn, audited}, {policy.Audit, v1alpha1.Audit, audited},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("namespace %q class %q", tt.mode, tt.action), func(t *testing.T) {
			w, req := shop()
			w.classes, w.liveClasses = acting(tt.action), acting(tt.action)
			req.Mode, req.Pod.Spec.NodeSelector = tt.mode, nil
			got := judge(w, req)
			if got.Kind != tt.want || got.Reason != review.ContractBroken || len(got.Violations) != 2 {
				t.Fatalf("got %s %s with %d violations", got.Kind, got.Reason, len(got.Violations))
			}
			if (len(got.Warnings) > 0) != (tt.want == warned) || (got.Code == 403) != (tt.want != audited) {
				t.Errorf("code %d, warnings %q", got.Code, got.Warnings)
			}
		})
	}
}

func TestModesSoftenTheContractAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*world, *review.Request)
		reason review.Reason
	}{
		"a malformed class":         {func(w *world, _ *review.Request) { w.cached["HelmRelease/web"] = release("web", "Dc_1") }, review.ClassMalformed},
		"a class that is not there": {func(w *world, _ *review.Request) { w.classes, w.liveClasses = policy.New(), policy.New() }, review.ClassNotFound},
		"an owner that is gone":     {func(w *world, _ *review.Request) { delete(w.cached, "ReplicaSet/web-7c") }, review.OwnerBroken},
	} {
		w, req := shop()
		req.Mode = policy.Audit
		tt.change(w, req)
		if got := judge(w, req); got.Kind != review.Denied || got.Reason != tt.reason {
			t.Errorf("%s: got %s %s", name, got.Kind, got.Reason)
		}
	}
}

func TestAGatedPodIsOnlyWarnedAbout(t *testing.T) {
	w, req := shop()
	req.Pod.Spec.NodeSelector = nil
	req.Pod.Spec.SchedulingGates = append(req.Pod.Spec.SchedulingGates, struct {
		Name string `json:"name"`
	}{"quota"})
	got := judge(w, req)
	if got.Kind != review.Allowed || got.Reason != review.Gated || got.Code != 0 || len(got.Warnings) != 2 || w.liveReads != 0 {
		t.Errorf("got %s %s %d %q after %d live reads", got.Kind, got.Reason, got.Code, got.Warnings, w.liveReads)
	}
}

func TestWarningsFitTheAPIServersBounds(t *testing.T) {
	w, req := shop()
	big := class("dc1", "dc1")
	for i := range 14 {
		big.Spec.NodeSelector[fmt.Sprintf("key-%02d", i)] = strings.Repeat("é", 31)
	}
	big.Spec.EnforcementAction = v1alpha1.Warn
	w.classes = policy.New(big)
	req.Pod.Metadata.GenerateName = strings.Repeat("n", 240)
	req.Pod.Spec.NodeSelector = nil
	got := judge(w, req)
	if len(got.Warnings) != 8 || got.Warnings[7] != "and 9 more" {
		t.Fatalf("got %d warnings: %q", len(got.Warnings), got.Warnings)
	}
	for _, warning := range got.Warnings {
		if len(warning) > 256 || strings.ContainsRune(warning, '�') {
			t.Errorf("%d bytes: %s", len(warning), warning)
		}
	}
}

func TestExemptions(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	exemption := &v1alpha1.AffinityExemption{}
	exemption.Name = "disk-import"
	exemption.Spec = v1alpha1.AffinityExemptionSpec{
		Usernames: []string{"system:serviceaccount:cdi:importer", "system:serviceaccount:shop:default"},
		Reason:    "imports disks", Expires: &metav1.Time{Time: now.Add(time.Hour)},
	}
	tests := []struct {
		name   string
		user   string
		change func(*world, *review.Request)
		want   review.Reason
	}{
		{"the creator that it names passes", "system:serviceaccount:cdi:importer", func(*world, *review.Request) {}, review.Exempt},
		{"another does not", "system:serviceaccount:cdi:other", func(*world, *review.Request) {}, review.ContractBroken},
		{"nor after it expired", "system:serviceaccount:cdi:importer", func(_ *world, r *review.Request) { r.Now = now.Add(time.Hour) }, review.ContractBroken},
		{"an account of a governed namespace does not count", "system:serviceaccount:shop:default", func(*world, *review.Request) {}, review.ContractBroken},
		{"a Pod that keeps its class needs none", "system:serviceaccount:cdi:importer", func(_ *world, r *review.Request) {
			r.Pod.Spec.NodeSelector = map[string]string{"zone": "dc1", "disk": "ssd"}
		}, review.ContractKept},
		{"one that the watch has not told of yet counts", "system:serviceaccount:cdi:importer", func(w *world, _ *review.Request) {
			w.liveClasses, w.classes = w.classes, w.classes.WithoutExemption("disk-import")
		}, review.Exempt},
		{"one that exists no more does not undo a denial", "system:serviceaccount:cdi:other", func(w *world, _ *review.Request) {
			w.liveClasses = w.classes.WithoutExemption("disk-import")
		}, review.ContractBroken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, req := shop()
			w.classes = w.classes.WithExemption(exemption).WithNamespace("shop", policy.Namespace{Mode: policy.Deny})
			w.liveClasses = w.classes
			req.Creator.Username, req.Now, req.Pod.Spec.NodeSelector = tt.user, now, nil
			tt.change(w, req)
			got := judge(w, req)
			if got.Reason != tt.want {
				t.Fatalf("got %s %s: %s", got.Kind, got.Reason, got.Message)
			}
			if tt.want == review.Exempt && (got.Facts.Exempt != "disk-import: imports disks" || len(got.Violations) != 2) {
				t.Errorf("the record says %q with %d violations", got.Facts.Exempt, len(got.Violations))
			}
		})
	}
}

func TestATemplateIsNeverExempt(t *testing.T) {
	w, req := shop()
	exemption := &v1alpha1.AffinityExemption{}
	exemption.Spec = v1alpha1.AffinityExemptionSpec{Usernames: []string{"jane"}, Reason: "x"}
	w.classes = w.classes.WithExemption(exemption)
	req.Creator.Username, req.Pod = "jane", review.Pod{}
	req.Template = &review.Template{Owner: w.cached["ReplicaSet/web-7c"], Path: "spec.template"}
	if got := judge(w, req); got.Reason != review.ContractBroken {
		t.Errorf("got %s", got.Reason)
	}
}

func TestAStricterClassThatIsKeptMakesNothingWorse(t *testing.T) {
	one, other := object(replicaSet, "one"), object(replicaSet, "other")
	one.Labels = map[string]string{lineage.LabelFluxName: "web"}
	other.Labels = map[string]string{lineage.LabelFluxName: "db"}
	req := podOf(one, other)
	no := false
	req.Pod.Metadata.OwnerReferences[0].Controller = &no
	w, _ := shop()
	soft := class("soft", "dc1")
	soft.Spec.NodeSelector["gpu"] = "true"
	soft.Spec.EnforcementAction = v1alpha1.Warn
	w.classes = w.classes.With(soft)
	w.cached = map[string]*lineage.Object{"ReplicaSet/one": one, "ReplicaSet/other": other,
		"HelmRelease/web": release("web", "dc1"), "HelmRelease/db": release("db", "soft")}
	if got := judge(w, req); got.Kind != review.Warned || got.Facts.Action != "Warn" {
		t.Errorf("got %s %s: %s", got.Kind, got.Facts.Action, got.Message)
	}
}

func TestNothingAboveAnotherNamespacesReleaseIsShown(t *testing.T) {
	w, req := shop()
	above := object(lineage.HelmRelease, "secret-parent")
	above.Namespace, above.Release = "root", &lineage.Release{}
	foreign := release("web", "dc1")
	foreign.Labels = map[string]string{policy.ClassLabel: "dc1", lineage.LabelFluxName: "secret-parent"}
	foreign.Namespace, foreign.Release = "root", &lineage.Release{TargetNamespace: "shop"}
	owner := w.cached["ReplicaSet/web-7c"]
	owner.Labels[lineage.LabelFluxNamespace] = "root"
	w.cached["HelmRelease/web"], w.cached["HelmRelease/secret-parent"] = foreign, above
	req.Pod.Spec.NodeSelector = nil
	got := judge(w, req)
	if got.Reason != review.ContractBroken || !strings.HasSuffix(got.Facts.Chain, "HelmRelease root/web") {
		t.Errorf("got %s with chain %s", got.Reason, got.Facts.Chain)
	}
}

func TestAKindOfAnyLengthIsCut(t *testing.T) {
	w, req := shop()
	kind := strings.Repeat("K", 1<<20)
	req.Pod.Metadata.OwnerReferences[0].Kind = kind
	w.failing[kind] = lineage.ErrNoKind
	if got := judge(w, req); got.Reason != review.OwnerForbidden || len(got.Message) > 1024 {
		t.Errorf("got %s in a message of %d bytes", got.Reason, len(got.Message))
	}
}
