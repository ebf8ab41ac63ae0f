package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/test/controlplane"
)

// stage is three nodes that no other test's Pods take, and a namespace whose Pods are
// not judged: what the scheduler does with the terms is watched, not what we refuse.
type stage struct{ name, namespace, a, b, c string }

const stageLabel = "example.org/stage"

// onStage makes the nodes; those named are tainted, softly.
func onStage(t *testing.T, name string, tainted ...string) stage {
	t.Helper()
	s := stage{name, namespace(t, name, nil), name + "-a", name + "-b", name + "-c"}
	for _, node := range []string{s.a, s.b, s.c} {
		spec := controlplane.NodeSpec{Name: node, Labels: map[string]string{stageLabel: name}}
		if slices.Contains(tainted, node) {
			spec.Taints = []corev1.Taint{{Key: "example.org/soft", Effect: corev1.TaintEffectPreferNoSchedule}}
		}
		must(t, cp.AddNodes(t.Context(), []controlplane.NodeSpec{spec}))
		t.Cleanup(func() { remove(t, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}) })
	}
	return s
}

// player is a Pod that bears tags and asks by a value. It is on a node, without a
// scheduler; or is left to the scheduler, which may be held to one node of the stage.
type player struct{ name, tags, asks, on, only string }

// pod is the player as the server makes it.
func (s stage) pod(t *testing.T, p player) *corev1.Pod {
	t.Helper()
	pod := podOf(s.namespace, p.name)
	pod.Labels, pod.Spec.NodeName = map[string]string{}, p.on
	for tag := range strings.FieldsSeq(p.tags) {
		pod.Labels[binaryaffinity.TagPrefix+tag] = ""
	}
	if p.on == "" {
		pod.Spec.NodeSelector = map[string]string{stageLabel: s.name}
	}
	if p.only != "" {
		pod.Spec.NodeSelector[corev1.LabelHostname] = p.only
	}
	if p.asks == "" {
		return pod
	}
	pod.Annotations = map[string]string{binaryaffinity.Annotation: p.asks}
	return translated(t, pod)
}

func translated(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	patch, err := jsonpatch.DecodePatch(post(t, world.URL+"/mutate-pod", reviewOf(t, pod)).Patch)
	must(t, err)
	text, err := json.Marshal(pod)
	must(t, err)
	text, err = patch.Apply(text)
	must(t, err)
	out := &corev1.Pod{}
	must(t, json.Unmarshal(text, out))
	return out
}

// has puts Pods on their nodes, and waits until they run: the scheduler knows of them
// then.
func (s stage) has(t *testing.T, players ...player) {
	t.Helper()
	for _, p := range players {
		pod := s.pod(t, p)
		create(t, pod)
		eventually(t, func() error {
			if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
				return err
			}
			if pod.Status.Phase != corev1.PodRunning {
				return fmt.Errorf("Pod %s is %s", pod.Name, pod.Status.Phase)
			}
			return nil
		})
	}
}

// goes wants the scheduler to give the Pod this node.
func (s stage) goes(t *testing.T, node string, p player) {
	t.Helper()
	pod := s.pod(t, p)
	create(t, pod)
	eventually(t, func() error {
		if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			return err
		}
		if pod.Spec.NodeName == "" {
			return fmt.Errorf("Pod %s is nowhere: %+v", pod.Name, pod.Status.Conditions)
		}
		return nil
	})
	if pod.Spec.NodeName != node {
		t.Errorf("Pod %s, which asks %q, is on %s, wanted %s", p.name, p.asks, pod.Spec.NodeName, node)
	}
}

// always is goes for three Pods, since one may get there by chance.
func (s stage) always(t *testing.T, node string, p player) {
	t.Helper()
	for i := range 3 {
		p.name = fmt.Sprintf("one-of-three-%d", i)
		s.goes(t, node, p)
	}
}

// waits wants the scheduler to find no node for the Pod, and to say why; the Pod is
// then gone again.
func (s stage) waits(t *testing.T, because string, p player) {
	t.Helper()
	pod := s.pod(t, p)
	create(t, pod)
	eventually(t, func() error {
		if err := world.Client.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			return err
		}
		if pod.Spec.NodeName != "" {
			t.Fatalf("Pod %s, which asks %q, is on %s, wanted nowhere", p.name, p.asks, pod.Spec.NodeName)
		}
		if !saysWhy(pod, because) {
			return fmt.Errorf("Pod %s is not said to wait because of %q: %+v", pod.Name, because, pod.Status.Conditions)
		}
		return nil
	})
	remove(t, pod)
}

func saysWhy(pod *corev1.Pod, because string) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonUnschedulable && strings.Contains(c.Message, because)
	})
}
