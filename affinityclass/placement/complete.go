package placement

import (
	"maps"

	v1 "k8s.io/api/core/v1"
)

// complete fills in what the API server would fill in of a Pod that was never
// sent to it, as far as it bears on a placement: requests that follow from
// limits, the host ports of a Pod in the host's network, and for five minutes the
// toleration of nodes that are away.
// Source: the defaults of k8s.io/kubernetes/pkg/apis/core/v1, and its admission
// plugin DefaultTolerationSeconds.
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
	for _, key := range []string{v1.TaintNodeNotReady, v1.TaintNodeUnreachable} {
		awaits(pod, key)
	}
}

// awaits tolerates a taint for five minutes, unless the Pod says how long itself.
func awaits(pod *v1.Pod, key string) {
	for _, t := range pod.Spec.Tolerations {
		if (t.Key == key || t.Key == "") && (t.Effect == v1.TaintEffectNoExecute || t.Effect == "") {
			return
		}
	}
	seconds := int64(300)
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
		Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: &seconds,
	})
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
