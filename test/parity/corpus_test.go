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
}

func variants() []variant {
	return []variant{
		{"keeps its class", "dc1", map[string]any{zone: "dc1"}},
		{"keeps it and narrows it", "dc1", map[string]any{zone: "dc1", "disk": "ssd"}},
		{"forgets the selector", "dc1", nil},
		{"sets another value", "dc1", map[string]any{zone: "dc2"}},
		{"lacks one of two pairs", "fast", map[string]any{zone: "dc1"}},
		{"names a class that is not there", "dc9", map[string]any{zone: "dc1"}},
		{"names what is no class", "Dc_1", map[string]any{zone: "dc1"}},
		{"names no class", "", nil},
	}
}

func classes() []map[string]any {
	class := func(name string, selector map[string]any) map[string]any {
		return map[string]any{"apiVersion": "cozystack.io/v1alpha1", "kind": "AffinityClass",
			"metadata": map[string]any{"name": name}, "spec": map[string]any{"nodeSelector": selector}}
	}
	return []map[string]any{
		class("dc1", map[string]any{zone: "dc1"}),
		class("fast", map[string]any{zone: "dc1", "disk": "ssd"}),
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
