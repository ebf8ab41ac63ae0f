package e2e_test

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
	"github.com/cozystack/affinityclass/test/controlplane"
)

// escape is a Pod that breaks a class with terms, as dc12's but for ssd disks and
// a rack below 40 in dc2.
type escape struct {
	name string
	pod  func(workload) *corev1.Pod
}

func escapes() []escape {
	op := func(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
		return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
	}
	return []escape{
		{"nothing", func(w workload) *corev1.Pod { return w.pod() }},
		{"another-zone", func(w workload) *corev1.Pod { return w.inZone("dc3").pod() }},
		{"one-zone-too-many", func(w workload) *corev1.Pod { return requiring(w.pod(), in(zone, "dc1", "dc3"), in("disk", "ssd")) }},
		{"disk-by-its-absence", func(w workload) *corev1.Pod {
			return requiring(w.inZone("dc1").pod(), op("disk", corev1.NodeSelectorOpDoesNotExist))
		}},
		{"disk-not-hdd", func(w workload) *corev1.Pod {
			return requiring(w.inZone("dc1").pod(), op("disk", corev1.NodeSelectorOpNotIn, "hdd"), op("disk", corev1.NodeSelectorOpExists))
		}},
		{"racks-too-high", func(w workload) *corev1.Pod {
			return requiring(w.inZone("dc2").pod(), op("rack", corev1.NodeSelectorOpGt, "30"))
		}},
		{"the-second-term", func(w workload) *corev1.Pod {
			return requiring(requiring(w.pod(), in(zone, "dc1"), in("disk", "ssd")), in(zone, "dc2"), in("rack", "39", "41"))
		}},
	}
}

// The witness of a refusal is no mere word: a node made with its labels is one
// that the real scheduler gives the Pod, and one that the class does not count.
func TestAWitnessIsANodeThatThePodGetsAndTheClassLacks(t *testing.T) {
	judged, free := governed(t, "witness"), namespace(t, "witness-free", nil)
	racks := &v1alpha1.AffinityClass{}
	into(t, &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "racks"}, "spec": map[string]any{"nodeSelectorTerms": []any{
		map[string]any{"matchExpressions": []any{requirement(zone, "In", "dc1"), requirement("disk", "In", "ssd")}},
		map[string]any{"matchExpressions": []any{requirement(zone, "In", "dc2"), requirement("rack", "Lt", "40")}},
	}}}}, racks)
	establish(t, racks)
	want := map[string]string{}
	for _, e := range escapes() {
		pod := e.pod(deploy(t, release{judged, e.name, "racks"}))
		labels := witnessOf(t, pod)
		t.Logf("%s: %v", e.name, labels)
		node := "witness-" + e.name
		only := corev1.ResourceName("example.org/" + e.name)
		// Other tests run meanwhile, and their Pods might take a node of dc1.
		alone := corev1.Taint{Key: "example.org/witness", Effect: corev1.TaintEffectNoSchedule}
		addWitness(t, controlplane.NodeSpec{Name: node, Labels: labels, Taints: []corev1.Taint{alone}, Capacity: corev1.ResourceList{only: resource.MustParse("1")}})
		pod.Spec.Tolerations = []corev1.Toleration{{Key: alone.Key, Operator: corev1.TolerationOpExists}}
		pod.Namespace = free
		// Of all nodes that the Pod may take, this one alone has what it asks for.
		pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{only: resource.MustParse("1")}
		create(t, pod)
		want[pod.Name] = node
	}
	eventually(t, func() error { return boundAs(t, free, want) })
	// The node that is in the class is counted, so those before it were looked at.
	addNodes(t, map[string]map[string]string{"inside": {zone: "dc1", "disk": "ssd"}})
	following{"racks"}.until(t, "witnesses and one node inside", 1, 1, int32(len(want)))
}

func requirement(key, operator, value string) map[string]any {
	return map[string]any{"key": key, "operator": operator, "values": []any{value}}
}

var shownWitness = regexp.MustCompile(`a node with (.+) would be accepted by the Pod but is outside class "racks"`)

// witnessOf are the labels of the node that the refusal of a Pod shows.
func witnessOf(t *testing.T, pod *corev1.Pod) map[string]string {
	t.Helper()
	got, _ := tried(t, pod)
	shown := shownWitness.FindStringSubmatch(got.Message)
	if got.Code != 403 || shown == nil {
		t.Fatalf("no witness in %+v", got)
	}
	labels := map[string]string{}
	if shown[1] == "no labels" {
		return labels
	}
	for pair := range strings.SplitSeq(shown[1], ", ") {
		key, value, _ := strings.Cut(pair, "=")
		labels[key] = value
	}
	return labels
}

// addWitness adds a node with these labels and no other, not even a kubelet's.
func addWitness(t *testing.T, spec controlplane.NodeSpec) {
	t.Helper()
	if err := cp.AddNodes(t.Context(), []controlplane.NodeSpec{spec}); err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: spec.Name}}
	t.Cleanup(func() { remove(t, node) })
	// A controller copies the labels of system and architecture a moment later.
	eventually(t, func() error {
		if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil {
			return err
		}
		if maps.Equal(node.Labels, spec.Labels) {
			return nil
		}
		node.Labels = maps.Clone(spec.Labels)
		return errors.Join(errors.New("the node has more labels"), world.Client.Update(t.Context(), node))
	})
}

// boundAs wants each Pod of a namespace on its node.
func boundAs(t *testing.T, namespace string, want map[string]string) error {
	t.Helper()
	var pods corev1.PodList
	if err := world.Client.List(t.Context(), &pods, client.InNamespace(namespace)); err != nil {
		return err
	}
	for i := range pods.Items {
		if pod := &pods.Items[i]; pod.Spec.NodeName != want[pod.Name] {
			return fmt.Errorf("Pod %s is on node %q, wanted %q: %+v", pod.Name, pod.Spec.NodeName, want[pod.Name], pod.Status.Conditions)
		}
	}
	if len(pods.Items) != len(want) {
		return fmt.Errorf("%d Pods in %s, wanted %d", len(pods.Items), namespace, len(want))
	}
	return nil
}
