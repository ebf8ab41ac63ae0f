package placement

import (
	"maps"

	v1 "k8s.io/api/core/v1"
)

// complete fills in what the API server would fill in of a Pod that was never
// sent to it, as far as it bears on a placement: requests that follow from
// limits, and the host ports of a Pod in the host's network.
// Source: the defaults of k8s.io/kubernetes/pkg/apis/core/v1.
func complete(pod *v1.Pod) {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			c := &containers[i]
			c.Resources.Requests = fromLimits(c.Resources.Requests, c.Resources.Limits)
			if pod.Spec.HostNetwork {
				hostOf(c.Ports)
			}
		}
	}
	if r := pod.Spec.Resources; r != nil {
		r.Requests = fromLimits(r.Requests, unrequested(pod, r.Limits))
	}
}

// unrequested are the limits of the whole Pod for which no container has a
// request: where one has, the containers' sum counts and not the limit.
func unrequested(pod *v1.Pod, limits v1.ResourceList) v1.ResourceList {
	left := maps.Clone(limits)
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for name := range containers[i].Resources.Requests {
				delete(left, name)
			}
		}
	}
	return left
}

func fromLimits(requests, limits v1.ResourceList) v1.ResourceList {
	if len(limits) == 0 {
		return requests
	}
	all := maps.Clone(limits)
	maps.Copy(all, requests)
	return all
}

func hostOf(ports []v1.ContainerPort) {
	for i := range ports {
		if ports[i].HostPort == 0 {
			ports[i].HostPort = ports[i].ContainerPort
		}
	}
}
