package fence_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func spec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}
}

// pod is one with what the changes make of it.
func pod(changes ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "stray"}, Spec: spec()}
	for _, change := range changes {
		change(p)
	}
	return p
}

func far(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{zone: "dc3"} }

func near(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{zone: "dc1"} }

func labelled(pairs ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Labels = map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			p.Labels[pairs[i]] = pairs[i+1]
		}
	}
}

func needs(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
}

func affine(terms ...corev1.NodeSelectorTerm) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms}}}
	}
}

func byPods() []attack {
	one := func(name string, changes ...func(*corev1.Pod)) attack {
		return attack{name, func(a *arena) { a.try(pod(changes...)) }}
	}
	return []attack{
		one("a bare Pod"),
		one("a Pod that asks for another datacenter", far),
		one("a Pod put on a node by name", func(p *corev1.Pod) { p.Spec.NodeName = "far" }),
		one("an affinity to an allowed class and another", affine(needs(zone, corev1.NodeSelectorOpIn, "dc1", "dc3"))),
		one("a term for each", affine(needs(zone, corev1.NodeSelectorOpIn, "dc1"), needs(zone, corev1.NodeSelectorOpIn, "dc3"))),
		one("not in an allowed class", affine(needs(zone, corev1.NodeSelectorOpNotIn, "dc1"))),
		one("not in a class that no node has", affine(needs(zone, corev1.NodeSelectorOpNotIn, "dc7"))),
		one("in any datacenter", affine(needs(zone, corev1.NodeSelectorOpExists))),
		one("in none", affine(needs(zone, corev1.NodeSelectorOpDoesNotExist))),
		one("by a number", affine(needs("rank", corev1.NodeSelectorOpGt, "3"))),
		one("by the name of a node", affine(corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"far"}}}})),
		one("only by preference in an allowed class", func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 100, Preference: needs(zone, corev1.NodeSelectorOpIn, "dc1")}}}}
		}),
		one("an affinity too complex to be proven", affine(tangled()...)),
		one("a Pod that bears the class label", labelled("apps.cozystack.io/affinity-class", "dc1"), far),
		one("a Pod that bears an application's labels", labelled("apps.cozystack.io/application.group", "g",
			"apps.cozystack.io/application.kind", "k", "apps.cozystack.io/application.name", "n"), far),
		one("a Pod with the labels of an exempt one", labelled("app", "importer"), far),
		one("a Pod under another name each time", func(p *corev1.Pod) { p.Name, p.GenerateName = "", "stray-" }),
		one("a Pod that calls itself a mirror", func(p *corev1.Pod) {
			p.Spec.NodeName, p.Annotations = "far", map[string]string{"kubernetes.io/config.mirror": "x"}
		}),
		{"a Pod applied server-side", func(a *arena) {
			a.change(pod(), client.RawPatch(types.ApplyPatchType, []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"stray"},`+
				`"spec":{"containers":[{"name":"c","image":"i"}],"nodeSelector":{"`+zone+`":"dc3"}}}`)))
		}},
	}
}

// tangled are terms whose every node is outside, more than a proof has steps for.
func tangled() []corev1.NodeSelectorTerm {
	var terms []corev1.NodeSelectorTerm
	for i := range 200 {
		var all []corev1.NodeSelectorRequirement
		for k := range 20 {
			all = append(all, corev1.NodeSelectorRequirement{Key: fmt.Sprintf("k%d", (i*7+k*3)%60), Operator: corev1.NodeSelectorOpNotIn,
				Values: []string{fmt.Sprint(i % 11), fmt.Sprint(k % 5)}})
		}
		terms = append(terms, corev1.NodeSelectorTerm{MatchExpressions: all})
	}
	return terms
}

func gated(p *corev1.Pod) {
	p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.org/wait"}}
}

func byGates() []attack {
	merge := func(text string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(text)) }
	two := func(name, patch string, changes ...func(*corev1.Pod)) attack {
		return attack{name, func(a *arena) {
			a.try(pod(append(changes, gated)...))
			a.change(pod(), merge(patch))
		}}
	}
	return []attack{
		two("a gate that goes", `{"spec":{"schedulingGates":null}}`),
		two("a gate that goes with a selector that comes", `{"spec":{"schedulingGates":null,"nodeSelector":{"`+zone+`":"dc3"}}}`),
		two("a gate that goes with the labels", `{"metadata":{"labels":null},"spec":{"schedulingGates":null}}`, labelled("app", "x"), far),
		{"a selector that comes before the gate goes", func(a *arena) {
			a.try(pod(gated))
			a.change(pod(), merge(`{"spec":{"nodeSelector":{"`+zone+`":"dc3"}}}`))
			a.change(pod(), merge(`{"spec":{"schedulingGates":[]}}`))
		}},
		{"one gate of two, then the other", func(a *arena) {
			a.try(pod(gated, func(p *corev1.Pod) {
				p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "example.org/other"})
			}))
			a.change(pod(), merge(`{"spec":{"schedulingGates":[{"name":"example.org/other"}]}}`))
			a.change(pod(), merge(`{"spec":{"schedulingGates":null}}`))
		}},
		{"a gate that goes by another kind of patch", func(a *arena) {
			a.try(pod(gated))
			a.change(pod(), client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"/spec/schedulingGates"}]`)))
		}},
	}
}
