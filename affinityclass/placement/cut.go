package placement

import (
	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// cutTemplate leaves of a workload's Pod what a Request is made of. The rest may be
// most of it, arguments, environment and mounts, and would be kept once a Pod. No
// preview is another for it.
func cutTemplate(pod *v1.Pod) {
	value, asks := pod.Annotations[binaryaffinity.Annotation]
	pod.Annotations, pod.ManagedFields = nil, nil
	if asks {
		pod.Annotations = map[string]string{binaryaffinity.Annotation: value}
	}
	s := &pod.Spec
	pod.Spec = v1.PodSpec{
		NodeName: s.NodeName, NodeSelector: s.NodeSelector, Affinity: s.Affinity, Tolerations: s.Tolerations,
		TopologySpreadConstraints: s.TopologySpreadConstraints, SchedulerName: s.SchedulerName, SchedulingGates: s.SchedulingGates,
		Priority: s.Priority, PriorityClassName: s.PriorityClassName, ActiveDeadlineSeconds: s.ActiveDeadlineSeconds,
		Containers: cutContainers(s.Containers), InitContainers: cutContainers(s.InitContainers),
		Resources: s.Resources, Overhead: s.Overhead, RuntimeClassName: s.RuntimeClassName,
		ResourceClaims: s.ResourceClaims, HostNetwork: s.HostNetwork, Volumes: cutVolumes(s.Volumes),
	}
}

func cutContainers(containers []v1.Container) []v1.Container {
	for i := range containers {
		c := &containers[i]
		*c = v1.Container{Name: c.Name, Resources: c.Resources, Ports: c.Ports, RestartPolicy: c.RestartPolicy}
	}
	return containers
}

// cutVolumes leaves one volume that is to be bound, if there is one: more say no more.
func cutVolumes(volumes []v1.Volume) []v1.Volume {
	for i := range volumes {
		if bound(volumes[i]) {
			return []v1.Volume{volumes[i]}
		}
	}
	return nil
}
