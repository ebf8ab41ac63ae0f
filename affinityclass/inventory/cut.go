package inventory

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// What a cut leaves is what package placement reads of an object, and its
// resourceVersion, by which a reflector goes on. Cutting twice is cutting once.

func cutMeta(m *metav1.ObjectMeta) {
	*m = metav1.ObjectMeta{
		Namespace: m.Namespace, Name: m.Name, UID: m.UID, ResourceVersion: m.ResourceVersion,
		Labels: m.Labels, DeletionTimestamp: m.DeletionTimestamp,
	}
}

func cutNode(node *corev1.Node) {
	ready := cutConditions(node.Status.Conditions)
	cutMeta(&node.ObjectMeta)
	node.Spec = corev1.NodeSpec{Taints: node.Spec.Taints, Unschedulable: node.Spec.Unschedulable}
	node.Status = corev1.NodeStatus{Allocatable: node.Status.Allocatable}
	node.Status.Conditions = ready
}

// cutConditions leaves whether the node is ready, and not when it last said so.
func cutConditions(conditions []corev1.NodeCondition) (ready []corev1.NodeCondition) {
	for _, c := range conditions {
		if c.Type == corev1.NodeReady {
			ready = append(ready, corev1.NodeCondition{Type: c.Type, Status: c.Status})
		}
	}
	return ready
}

func cutNamespace(namespace *corev1.Namespace) {
	cutMeta(&namespace.ObjectMeta)
	namespace.Spec, namespace.Status = corev1.NamespaceSpec{}, corev1.NamespaceStatus{}
}

// cutToTags leaves the tags and the place, which is all that a neighbour is asked.
func cutToTags(pod *corev1.Pod) {
	cutMeta(&pod.ObjectMeta)
	var tags map[string]string
	for key, value := range pod.Labels {
		if !strings.HasPrefix(key, binaryaffinity.TagPrefix) {
			continue
		}
		if tags == nil {
			tags = map[string]string{} // most Pods have none
		}
		tags[key] = value
	}
	pod.Labels = tags
	pod.Spec = corev1.PodSpec{NodeName: pod.Spec.NodeName}
	pod.Status = corev1.PodStatus{Phase: pod.Status.Phase}
}

// cutPod leaves what is in the way of another Pod: the resources and ports in use,
// and the terms that keep others off. A Pod of a DaemonSet is not in the way of the
// next one of the same, so whose Pod it is stays.
func cutPod(pod *corev1.Pod) {
	owners := cutOwners(pod)
	cutMeta(&pod.ObjectMeta)
	pod.OwnerReferences = owners
	spec, status := &pod.Spec, &pod.Status
	pod.Spec = corev1.PodSpec{
		NodeName: spec.NodeName, HostNetwork: spec.HostNetwork, Overhead: spec.Overhead, Resources: spec.Resources,
		Containers: cutContainers(spec.Containers), InitContainers: cutContainers(spec.InitContainers),
		Affinity: cutAffinity(spec.Affinity), ResourceClaims: spec.ResourceClaims,
	}
	pod.Status = corev1.PodStatus{
		Phase: status.Phase, Conditions: cutResize(status.Conditions), Resources: status.Resources,
		AllocatedResources: status.AllocatedResources, ResourceClaimStatuses: status.ResourceClaimStatuses,
		ContainerStatuses:     cutStatuses(status.ContainerStatuses),
		InitContainerStatuses: cutStatuses(status.InitContainerStatuses),
	}
}

// cutOwners leaves the group, kind and name of the controller.
func cutOwners(pod *corev1.Pod) []metav1.OwnerReference {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return nil
	}
	return []metav1.OwnerReference{{APIVersion: owner.APIVersion, Kind: owner.Kind, Name: owner.Name, Controller: owner.Controller}}
}

// cutResize leaves whether a change of the Pod's resources waits, by which they count.
func cutResize(conditions []corev1.PodCondition) (resize []corev1.PodCondition) {
	for _, c := range conditions {
		if c.Type == corev1.PodResizePending {
			resize = append(resize, corev1.PodCondition{Type: c.Type, Status: c.Status, Reason: c.Reason})
		}
	}
	return resize
}

func cutContainers(containers []corev1.Container) []corev1.Container {
	for i := range containers {
		c := &containers[i]
		*c = corev1.Container{Name: c.Name, Resources: c.Resources, Ports: c.Ports, RestartPolicy: c.RestartPolicy}
	}
	return containers
}

func cutStatuses(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	for i := range statuses {
		s := &statuses[i]
		*s = corev1.ContainerStatus{Name: s.Name, Resources: s.Resources, AllocatedResources: s.AllocatedResources}
	}
	return statuses
}

// cutAffinity leaves the required anti-affinity: of what a placed Pod asked, it alone
// holds for those who come after it.
func cutAffinity(affinity *corev1.Affinity) *corev1.Affinity {
	if affinity == nil || affinity.PodAntiAffinity == nil {
		return nil
	}
	required := affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if len(required) == 0 {
		return nil
	}
	return &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: required}}
}
