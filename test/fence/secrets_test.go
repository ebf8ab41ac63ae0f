package fence_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestNothingIsLearntOfAnotherTenant asks about what another tenant has, and about
// what nobody has: the answers differ in nothing but the names asked for.
func TestNothingIsLearntOfAnotherTenant(t *testing.T) {
	other := enter(t, "other", []string{"dc3"})
	theirs := replicaSet(template(far))
	other.try(release("treasure", nil, class("dc3")), theirs)
	me := enter(t, "curious", []string{"dc1"})
	answer := func(object client.Object) string {
		object.SetNamespace(me.namespace)
		if err := me.user.Create(me.ctx, object, client.DryRunAll); err != nil {
			return err.Error()
		}
		return "let in"
	}
	flux := func(release, namespace string) client.Object {
		return pod(labelled("helm.toolkit.fluxcd.io/name", release, "helm.toolkit.fluxcd.io/namespace", namespace), near)
	}
	owned := func(set, uid string) client.Object {
		return pod(near, func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set, UID: theirs.UID}}
			if uid != "" {
				p.OwnerReferences[0].UID = "nobodys"
			}
		})
	}
	part := func(release, namespace string) client.Object {
		return releaseOf(map[string]any{"helm.toolkit.fluxcd.io/name": release, "helm.toolkit.fluxcd.io/namespace": namespace})
	}
	for _, tt := range []struct {
		name           string
		theirs, nobody client.Object
	}{
		{"a Pod of a release", flux("treasure", other.namespace), flux("nothing", other.namespace)},
		{"a Pod of a release of a namespace", flux("treasure", other.namespace), flux("treasure", "tenant-nobody")},
		{"a Pod of an owner by its uid", owned("rs", ""), owned("rs", "other")},
		{"a part of a release", part("treasure", other.namespace), part("nothing", other.namespace)},
		{"a class that another may use", release("web", nil, class("dc3")), release("web", nil, class("dc8"))},
	} {
		got, want := answer(tt.theirs), answer(tt.nobody)
		for _, name := range []string{"dc3", "dc8"} {
			got, want = strings.ReplaceAll(got, name, "X"), strings.ReplaceAll(want, name, "X")
		}
		if got != want || strings.Contains(got, "treasure") || strings.Contains(got, other.namespace) {
			t.Errorf("%s: one is told\n%s\nand of nobody's\n%s", tt.name, got, want)
		}
	}
}

func releaseOf(labels map[string]any) client.Object {
	return release("part", map[string]any{"labels": labels}, nil)
}
