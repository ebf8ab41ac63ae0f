package controlplane

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// KWOK plays the kubelet of the nodes with this annotation.
const (
	fakeNode      = "kwok.x-k8s.io/node"
	fakeNodeValue = "fake"
)

// Labels that make KWOK break a node or a Pod, within two seconds, when set to
// "true".
const (
	BreakNode = "node-not-ready.stage.kwok.x-k8s.io"
	BreakPod  = "pod-container-running-failed.stage.kwok.x-k8s.io"
)

// NodeSpec is a node to be added. Capacity is taken as allocatable too; what it
// does not name has a roomy default. The labels every kubelet sets are added.
type NodeSpec struct {
	Name     string
	Labels   map[string]string
	Taints   []corev1.Taint
	Capacity corev1.ResourceList
}

// AddNodes creates nodes and returns when Pods can be bound to them; without KWOK
// among the components they stay objects that nobody keeps alive.
func (cp *ControlPlane) AddNodes(ctx context.Context, specs []NodeSpec) error {
	direct, err := cp.Client()
	if err != nil {
		return err
	}
	for _, spec := range specs {
		if err := direct.Create(ctx, spec.node()); err != nil {
			return fmt.Errorf("create node %s: %w", spec.Name, err)
		}
	}
	if !cp.options.has(Kwok) {
		return nil
	}
	for _, spec := range specs {
		err := await(ctx, "node "+spec.Name, func(ctx context.Context) error { return cp.nodeReady(ctx, direct, spec.Name) })
		if err != nil {
			return err
		}
	}
	cp.say("%d nodes are ready", len(specs))
	return nil
}

func (s NodeSpec) node() *corev1.Node {
	labels := map[string]string{
		corev1.LabelHostname:   s.Name,
		corev1.LabelOSStable:   "linux",
		corev1.LabelArchStable: "amd64",
	}
	maps.Copy(labels, s.Labels)
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("16"),
		corev1.ResourceMemory:           resource.MustParse("64Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
	maps.Copy(capacity, s.Capacity)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:        s.Name,
			Labels:      labels,
			Annotations: map[string]string{fakeNode: fakeNodeValue},
		},
		Spec:   corev1.NodeSpec{Taints: s.Taints},
		Status: corev1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}

// nodeReady wants the taint gone too: the controllers take it off a moment after
// the node has become ready.
func (cp *ControlPlane) nodeReady(ctx context.Context, reader client.Reader, name string) error {
	var node corev1.Node
	if err := reader.Get(ctx, client.ObjectKey{Name: name}, &node); err != nil {
		return fmt.Errorf("read node %s: %w", name, err)
	}
	for _, taint := range node.Spec.Taints {
		if taint.Key == corev1.TaintNodeNotReady {
			return fmt.Errorf("node %s bears the taint %s", name, taint.Key)
		}
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("node %s is not ready", name)
}
