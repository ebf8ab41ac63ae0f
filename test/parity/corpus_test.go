package parity_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

const zone = "topology.kubernetes.io/zone"

// subject is one thing to judge: a set of manifests, judged by affinityctl as
// they are, and by the server as the Pod that would come of them.
type subject struct {
	name      string
	manifests []map[string]any // the first one is judged
	pod       map[string]any   // what the server is asked about
}

// variant is what a Pod may look like, and the class its release may name.
type variant struct {
	name     string
	class    string
	selector map[string]any
	affinity []any // terms of the required node affinity; nil for none
}

// zones is a term of a node affinity.
func zones(values ...any) any {
	return map[string]any{"matchExpressions": []any{map[string]any{"key": zone, "operator": "In", "values": values}}}
}

func variants() []variant {
	return append(plain(), entailed()...)
}

func plain() []variant {
	return []variant{
		{name: "keeps its class", class: "dc1", selector: map[string]any{zone: "dc1"}},
		{name: "keeps it and narrows it", class: "dc1", selector: map[string]any{zone: "dc1", "disk": "ssd"}},
		{name: "forgets the selector", class: "dc1", selector: nil},
		{name: "sets another value", class: "dc1", selector: map[string]any{zone: "dc2"}},
		{name: "lacks one of two pairs", class: "fast", selector: map[string]any{zone: "dc1"}},
		{name: "names a class that is not there", class: "dc9", selector: map[string]any{zone: "dc1"}},
		{name: "names what is no class", class: "Dc_1", selector: map[string]any{zone: "dc1"}},
		{name: "names no class", class: "", selector: nil},
	}
}

// entailed are Pods whose affinity decides.
func entailed() []variant {
	return []variant{
		{name: "keeps its class by affinity", class: "dc1", affinity: []any{zones("dc1")}},
		{name: "has an affinity that allows more", class: "dc1", affinity: []any{zones("dc1", "dc2")}},
		{name: "has a term that allows more", class: "dc1", affinity: []any{zones("dc1"), zones("dc2")}},
		{name: "is in one of two datacenters", class: "dc12", selector: map[string]any{zone: "dc2"}},
		{name: "allows both", class: "dc12", affinity: []any{zones("dc2"), zones("dc1")}},
		{name: "allows a third", class: "dc12", affinity: []any{zones("dc1", "dc2", "dc3")}},
		{name: "asks for nothing", class: "dc12"},
		{name: "can run nowhere", class: "dc12", affinity: []any{}},
		{name: "breaks a class that warns", class: "warned"},
		{name: "breaks a class that records", class: "audited"},
	}
}

func classes() []map[string]any {
	class := func(name string, selector map[string]any) map[string]any {
		return map[string]any{"apiVersion": "cozystack.io/v1alpha1", "kind": "AffinityClass",
			"metadata": map[string]any{"name": name}, "spec": map[string]any{"nodeSelector": selector}}
	}
	dc12 := class("dc12", nil)
	dc12["spec"] = map[string]any{"nodeSelectorTerms": []any{zones("dc1", "dc2")}}
	warned, audited := class("warned", map[string]any{zone: "dc1"}), class("audited", map[string]any{zone: "dc1"})
	warned["spec"].(map[string]any)["enforcementAction"] = "Warn"
	audited["spec"].(map[string]any)["enforcementAction"] = "Audit"
	return []map[string]any{
		class("dc1", map[string]any{zone: "dc1"}),
		class("fast", map[string]any{zone: "dc1", "disk": "ssd"}),
		dc12, warned, audited,
	}
}

// chains gives every known chain in every variant.
func chains() []subject {
	var subjects []subject
	for _, chain := range fixture.Chains() {
		for _, v := range variants() {
			world := chain.World()
			for _, object := range world.Objects {
				if object.GroupKind == lineage.HelmRelease {
					object.Labels = maps.Clone(object.Labels)
					if v.class != "" {
						object.Labels["apps.cozystack.io/affinity-class"] = v.class
					}
				}
			}
			subjects = append(subjects, subjectOf(chain.Name+" whose Pod "+v.name, world, v))
		}
	}
	return subjects
}

func subjectOf(name string, world *fixture.World, v variant) subject {
	pod := fixture.Content(world.Start)
	pod["spec"] = podSpec(v)
	s := subject{name: name, pod: pod, manifests: []map[string]any{pod}}
	for _, object := range world.Objects {
		if object != world.Start {
			s.manifests = append(s.manifests, fixture.Content(object))
		}
	}
	return s
}

func podSpec(v variant) map[string]any {
	spec := map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}
	if v.selector != nil {
		spec["nodeSelector"] = v.selector
	}
	if v.affinity != nil {
		spec["affinity"] = map[string]any{"nodeAffinity": map[string]any{
			"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{"nodeSelectorTerms": v.affinity}}}
	}
	return spec
}

// broken gives the chains that lead nowhere.
func broken() []subject {
	v := variants()[0]
	gone := fixture.Chain("Pod shop/web-x < ReplicaSet web @ shop/web")
	gone.Objects = gone.Objects[:1]
	cycle := fixture.Chain("Pod shop/web-x < ReplicaSet web < Deployment web")
	replicaSet, deployment := cycle.Find("ReplicaSet", "web"), cycle.Find("Deployment", "web")
	deployment.Owners = replicaSet.Owners
	deployment.Owners[0].Kind, deployment.Owners[0].UID = "ReplicaSet", replicaSet.UID
	bare := fixture.Chain("Pod shop/web-x")
	return []subject{
		subjectOf("a Pod whose owner is gone", gone, v),
		subjectOf("a Pod whose owners form a cycle", cycle, v),
		subjectOf("a Pod that nothing owns", bare, v),
	}
}

// templates gives every built-in workload in every variant.
func templates() []subject {
	var subjects []subject
	for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob"} {
		for _, v := range variants() {
			world := fixture.Chain(fmt.Sprintf("%s shop/web @ shop/web", kind))
			release := world.Find("HelmRelease", "web")
			if v.class != "" {
				release.Labels["apps.cozystack.io/affinity-class"] = v.class
			}
			subjects = append(subjects, templateOf(kind+" whose template "+v.name, world, v))
		}
	}
	return subjects
}

// templateOf makes the workload, and the Pod that its controller would create.
func templateOf(name string, world *fixture.World, v variant) subject {
	workload := fixture.Content(world.Start)
	spec := map[string]any{"template": map[string]any{"spec": podSpec(v)}}
	if world.Start.Kind == "CronJob" {
		spec = map[string]any{"jobTemplate": map[string]any{"spec": spec}}
	}
	workload["spec"] = spec
	pod := map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": podSpec(v),
		"metadata": map[string]any{"name": "web-x", "namespace": "shop", "ownerReferences": []any{map[string]any{
			"apiVersion": workload["apiVersion"], "kind": world.Start.Kind, "name": "web", "uid": world.Start.UID, "controller": true}}}}
	return subject{name: name, pod: pod,
		manifests: []map[string]any{workload, fixture.Content(world.Find("HelmRelease", "web"))}}
}

func marshal(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
