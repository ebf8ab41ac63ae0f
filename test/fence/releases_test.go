package fence_test

import (
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
)

// release is a HelmRelease with the JSON of its metadata and spec merged in.
func release(name string, metadata, spec map[string]any) *unstructured.Unstructured {
	base := map[string]any{"interval": "5m", "chart": map[string]any{"spec": map[string]any{
		"chart": "web", "sourceRef": map[string]any{"kind": "HelmRepository", "name": "examples"}}}}
	for key, value := range spec {
		base[key] = value
	}
	meta := map[string]any{"name": name}
	for key, value := range metadata {
		meta[key] = value
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": meta, "spec": base}}
}

func class(name string) map[string]any {
	return map[string]any{"values": map[string]any{"affinityClass": name}}
}

func merged(text string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(text)) }

// ofRelease claims the Flux label of release web.
var ofRelease = labelled("helm.toolkit.fluxcd.io/name", "web")

func byReleases() []attack {
	pair := func(name string, metadata, spec map[string]any) attack {
		return attack{name, func(a *arena) { a.try(release("web", metadata, spec), pod(far, ofRelease)) }}
	}
	return []attack{
		pair("a release of another class", nil, class("dc3")),
		pair("a release of another class by annotation", map[string]any{"annotations": map[string]any{"affinity.cozystack.io/class": "dc3"}}, nil),
		pair("a release of another class that leaves its values alone",
			map[string]any{"annotations": map[string]any{"affinity.cozystack.io/inject-values": "false"}}, class("dc3")),
		pair("a release of a class that only warns", nil, class("lenient")),
		pair("a release without a class", nil, nil),
		pair("a release in another cluster", nil, map[string]any{"kubeConfig": map[string]any{"secretRef": map[string]any{"name": "k"}}}),
		pair("a release that deploys elsewhere", nil, map[string]any{"targetNamespace": "tenant-root"}),
		{"a release that changes its class and is not ready", func(a *arena) {
			a.try(release("web", nil, class("dc3")))
			a.change(release("web", nil, nil), merged(`{"spec":{"values":{"affinityClass":"dc3"}}}`))
			a.try(pod(far, ofRelease))
		}},
		{"a release whose class is taken back", func(a *arena) {
			a.try(release("web", nil, class("dc1")))
			a.change(release("web", nil, nil), merged(`{"spec":{"values":{"affinityClass":null}}}`))
			a.try(pod(far, ofRelease))
		}},
		{"a part of a release", func(a *arena) {
			a.try(release("app", nil, nil))
			a.try(release("web", map[string]any{"labels": map[string]any{"helm.toolkit.fluxcd.io/name": "app"}}, class("dc3")))
			a.try(pod(far, ofRelease))
		}},
	}
}

func byForgery() []attack {
	const label, source, former = "apps.cozystack.io/affinity-class", "affinity.cozystack.io/class-source", "affinity.cozystack.io/previous-class"
	forged := func(name string, labels, annotations map[string]any, spec map[string]any) attack {
		return attack{name, func(a *arena) {
			a.try(release("web", map[string]any{"labels": labels, "annotations": annotations}, spec), pod(far, ofRelease))
		}}
	}
	return []attack{
		forged("a forged class label", map[string]any{label: "dc3"}, nil, nil),
		forged("a forged default", map[string]any{label: "dc3"}, map[string]any{source: "default"}, nil),
		forged("a forged former class", nil, map[string]any{former: "dc3"}, class("dc3")),
		forged("a forged former class of none", nil, map[string]any{former: "-"}, nil),
		forged("forged values", nil, nil, map[string]any{"values": map[string]any{"_scheduling": map[string]any{"nodeSelector": map[string]any{zone: "dc3"}}}}),
		{"a release that is written over while it is deleted", func(a *arena) {
			web := release("web", map[string]any{"finalizers": []any{"example.org/hold"}}, nil)
			a.try(web)
			if err := a.user.Delete(a.ctx, web); err != nil {
				a.t.Log(err)
			}
			a.change(release("web", nil, nil), merged(`{"metadata":{"labels":{"`+label+`":"lenient"},"annotations":{"`+former+`":"-,lenient"}}}`))
			a.try(pod(far, ofRelease))
		}},
		{"a status that says not ready", func(a *arena) {
			a.try(release("web", nil, nil))
			status := merged(`{"status":{"observedGeneration":0,"conditions":[{"type":"Ready","status":"False","reason":"R","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
			if err := a.user.Status().Patch(a.ctx, namespaced(a, release("web", nil, nil)), status); err != nil {
				a.t.Log(err)
			}
			a.try(pod(far, ofRelease))
		}},
		{"a class that changes while Pods are made", func(a *arena) {
			a.try(release("web", nil, nil))
			var wait sync.WaitGroup
			wait.Go(func() {
				for _, name := range []string{"dc1", "dc2", "dc3", "dc1", "dc2", "dc3"} {
					a.change(release("web", nil, nil), merged(`{"spec":{"values":{"affinityClass":"`+name+`"}}}`))
				}
			})
			for range 30 {
				a.try(pod(far, ofRelease, func(p *corev1.Pod) { p.Name, p.GenerateName = "", "race-" }))
			}
			wait.Wait()
		}},
	}
}

func namespaced(a *arena, object *unstructured.Unstructured) *unstructured.Unstructured {
	object.SetNamespace(a.namespace)
	return object
}

func byRights() []attack {
	return []attack{
		{"a Tenant of one's own with all classes", func(a *arena) {
			a.try(&tenantv1.Tenant{ObjectMeta: named("mine"), Spec: tenantv1.TenantSpec{AllowedAffinityClasses: []string{"dc1", "dc2", "dc3"}}}, pod(far))
		}},
		{"a Tenant without a list", func(a *arena) { a.try(&tenantv1.Tenant{ObjectMeta: named("mine")}, pod(far)) }},
		{"a Tenant that comes and goes", func(a *arena) {
			mine := &tenantv1.Tenant{ObjectMeta: named("mine")}
			a.try(mine)
			if err := a.user.Delete(a.ctx, mine); err != nil {
				a.t.Log(err)
			}
			a.try(pod(far))
		}},
		{"the namespace's own labels", func(a *arena) {
			space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: a.namespace}}
			text := `{"metadata":{"labels":{"affinity.cozystack.io/enforce":"audit","affinity.cozystack.io/tenant":null,"cozystack.io/system":"true"}}}`
			if err := a.user.Patch(a.ctx, space, merged(text)); err != nil {
				a.t.Logf("%s: %v", a.namespace, err)
			}
			a.try(pod(far))
		}},
	}
}
