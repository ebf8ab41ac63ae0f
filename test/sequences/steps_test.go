package sequences_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// step makes one change, in the cluster and in the model; what it tried is for people.
func (p *play) step() (tried string, err error) {
	switch n := p.dice.IntN(20); {
	case n < 3:
		return p.class()
	case n < 7:
		return p.tenant()
	case n < 8:
		return p.settle()
	case n < 10:
		return p.deletion()
	default:
		return p.release()
	}
}

// agree compares what the API server says with what the model says.
func (p *play) agree(tried string, err error, accepted bool) (string, error) {
	if (err == nil) != accepted {
		return tried, fmt.Errorf("%s: the model says accepted=%v, the API server %v", tried, accepted, err)
	}
	if !accepted {
		p.seen["refused"]++
	}
	return tried, nil
}

func pick[T any](dice *rand.Rand, from ...T) T { return from[dice.IntN(len(from))] }

// eitherOf is the class that is told by terms alone.
const eitherOf = "dc4"

func described(name string) *v1alpha1.AffinityClass {
	class := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if name == eitherOf {
		class.Spec.NodeSelectorTerms = []v1alpha1.NodeSelectorTerm{{MatchExpressions: []v1alpha1.NodeSelectorRequirement{
			{Key: zone, Operator: corev1.NodeSelectorOpIn, Values: []string{name}}}}}
		return class
	}
	class.Spec.NodeSelector = map[string]string{zone: name}
	return class
}

func (p *play) class() (string, error) {
	name := pick(p.dice, classes...)
	class := described(name)
	if !p.model.classes[name] {
		p.model.classes[name] = true
		return p.agree("create class "+name, world.Client.Create(p.ctx, class), true)
	}
	if p.dice.IntN(2) == 0 {
		return p.taint(class)
	}
	accepted := !p.model.used(name)
	text, err := p.agree("delete class "+name, world.Client.Delete(p.ctx, class), accepted)
	if accepted && err == nil {
		delete(p.model.classes, name)
		delete(p.model.tolerate, name)
		p.gone(class)
	}
	return text, err
}

// taint changes what a class tolerates: releases learn of it when they are next derived.
func (p *play) taint(class *v1alpha1.AffinityClass) (string, error) {
	key := pick(p.dice, "", "gpu", "disk")
	tolerations := `[]`
	if key != "" {
		tolerations = fmt.Sprintf(`[{"key":%q,"operator":"Exists","effect":"NoSchedule"}]`, key)
	}
	err := world.Client.Patch(p.ctx, class, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"tolerations":`+tolerations+`}}`)))
	p.model.tolerate[class.Name] = key
	return p.agree(fmt.Sprintf("class %s tolerates %q", class.Name, key), err, true)
}

func (p *play) tenant() (string, error) {
	at := p.dice.IntN(3)
	space := spaces[at]
	object := &tenantv1.Tenant{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant-root", Name: "a"}}
	if at > 0 {
		object.Namespace, object.Name = spaces[at-1], strings.TrimPrefix(space, spaces[at-1]+"-")
	}
	before, had := p.model.tenants[space]
	if had && p.dice.IntN(6) == 0 {
		accepted := p.model.mayGo(space)
		if accepted {
			delete(p.model.tenants, space)
		}
		return p.agree("delete Tenant of "+space, world.Client.Delete(p.ctx, object), accepted)
	}
	t := before
	if p.dice.IntN(3) > 0 {
		t.list = list{set: p.dice.IntN(5) > 0}
		for _, class := range classes {
			if t.list.set && p.dice.IntN(3) > 0 {
				t.list.names = append(t.list.names, class)
			}
		}
	}
	if p.dice.IntN(3) == 0 {
		t.byDefault = pick(p.dice, "", "dc1", "dc2", "dc3")
	}
	accepted := p.model.mayBe(space, t)
	if t.list.set {
		object.Spec.AllowedAffinityClasses = append([]string{}, t.list.names...)
	}
	object.Spec.DefaultAffinityClass = t.byDefault
	tried := fmt.Sprintf("Tenant of %s: %+v", space, t)
	var err error
	if had {
		current := object.DeepCopy()
		if err = world.Client.Get(p.ctx, client.ObjectKeyFromObject(object), current); err == nil {
			current.Spec = object.Spec
			err = world.Client.Update(p.ctx, current)
		}
	} else {
		err = world.Client.Create(p.ctx, object)
	}
	if accepted {
		p.model.tenants[space] = t
	}
	return p.agree(tried, err, accepted)
}

func empty(space, name string) *unstructured.Unstructured {
	r := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease",
		"metadata": map[string]any{"namespace": space, "name": name},
		"spec": map[string]any{"interval": "5m", "chart": map[string]any{"spec": map[string]any{
			"chart": "web", "sourceRef": map[string]any{"kind": "HelmRepository", "name": "examples"}}}}}}
	return r
}

// release creates a release, or changes what one says.
func (p *play) release() (string, error) {
	space, name := pick(p.dice, spaces...), pick(p.dice, "one", "two", "whole", "part")
	key := space + "/" + name
	old, had := p.model.releases[key]
	next := old
	next.parted = name == "part"
	if name != "part" && (!had || p.dice.IntN(2) == 0) {
		next.named = pick(p.dice, append(classes, "", "")...)
	}
	if name != "part" && p.dice.IntN(5) == 0 {
		next.note = pick(p.dice, "", "dc1", "dc2")
	}
	if p.dice.IntN(8) == 0 {
		next.keep = !next.keep
	}
	if name != "whole" && name != "part" && p.dice.IntN(10) == 0 {
		next.remote = !next.remote
	}
	forge := ""
	if space != plain && p.dice.IntN(4) == 0 {
		forge = pick(p.dice, "label", "source", "former", "values", "resolve")
	}
	if had && forge == "" && same(old, next) {
		forge = "resolve" // else nothing is asked, and nothing looked at
	}
	if forge == "values" && (next.keep || next.remote) {
		forge = "label" // values that are left alone are the writer's
	}
	var before *release
	if had {
		before = &old
	}
	result, accepted := p.model.derive(space, before, next)
	object := p.written(empty(space, name), old, next, forge)
	var err error
	if had {
		text, marshal := object.MarshalJSON()
		err = errors.Join(marshal, world.Client.Patch(p.ctx, empty(space, name), client.RawPatch(types.MergePatchType, text)))
	} else {
		err = world.Client.Create(p.ctx, object)
	}
	if accepted {
		result.ready = had && old.ready && old.named == result.named && old.remote == result.remote && old.given == result.given
		p.model.releases[key] = result
	}
	return p.agree(fmt.Sprintf("release %s %+v forge %q", key, next, forge), err, accepted)
}

func same(a, b release) bool {
	return a.named == b.named && a.note == b.note && a.keep == b.keep && a.remote == b.remote
}

// forged stands where its writer may not choose. It is never what is derived: a
// forgery that changes nothing is not looked at.
const forged = "forged"

// written is what is sent: as a whole at creation, and merged afterwards.
func (p *play) written(object *unstructured.Unstructured, old, next release, forge string) *unstructured.Unstructured {
	values, notes, labels := map[string]any{}, map[string]any{}, map[string]any{}
	set := func(in map[string]any, key string, value, before string) {
		if value != "" {
			in[key] = value
		} else if before != "" {
			in[key] = nil
		}
	}
	text := func(on bool) string {
		if on {
			return "false"
		}
		return ""
	}
	set(values, "affinityClass", next.named, old.named)
	set(notes, "affinity.cozystack.io/class", next.note, old.note)
	set(notes, "affinity.cozystack.io/inject-values", text(next.keep), text(old.keep))
	if next.parted {
		labels["helm.toolkit.fluxcd.io/name"] = "whole"
	}
	switch forge {
	case "label":
		labels["apps.cozystack.io/affinity-class"] = forged
	case "source":
		notes["affinity.cozystack.io/class-source"] = forged
	case "former":
		notes["affinity.cozystack.io/previous-class"] = forged
	case "values":
		values["_scheduling"] = map[string]any{"affinityClass": forged, "nodeSelector": map[string]any{zone: forged}}
	case "resolve":
		notes["affinity.cozystack.io/resolve"] = fmt.Sprint(p.dice.Uint64())
	}
	spec := object.Object["spec"].(map[string]any)
	spec["values"] = values
	if next.remote {
		spec["kubeConfig"] = map[string]any{"secretRef": map[string]any{"name": "k"}}
	} else if old.remote {
		spec["kubeConfig"] = nil
	}
	meta := object.Object["metadata"].(map[string]any)
	meta["annotations"], meta["labels"] = notes, labels
	return object
}

func (p *play) keys() []string {
	var keys []string
	for key := range p.model.releases {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func (p *play) deletion() (string, error) {
	keys := p.keys()
	if len(keys) == 0 {
		return "nothing", nil
	}
	key := pick(p.dice, keys...)
	space, name, _ := strings.Cut(key, "/")
	delete(p.model.releases, key)
	return p.agree("delete release "+key, world.Client.Delete(p.ctx, empty(space, name)), true)
}

// settle makes a release ready in its present form, as the release controller would.
func (p *play) settle() (string, error) {
	keys := p.keys()
	if len(keys) == 0 {
		return "nothing", nil
	}
	key := pick(p.dice, keys...)
	space, name, _ := strings.Cut(key, "/")
	object := empty(space, name)
	if err := world.Client.Get(p.ctx, client.ObjectKeyFromObject(object), object); err != nil {
		return key, err
	}
	status := fmt.Sprintf(`{"status":{"observedGeneration":%d,"conditions":[{"type":"Ready","status":"True","reason":"R","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, object.GetGeneration())
	settled := p.model.releases[key]
	settled.ready = true
	p.model.releases[key] = settled
	return p.agree("settle "+key, world.Client.Status().Patch(p.ctx, object, client.RawPatch(types.MergePatchType, []byte(status))), true)
}
