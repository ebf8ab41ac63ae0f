package placement

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// daemon is a DaemonSet's place on one node: the Pod there now is the one that
// the next takes the place of, whatever it is called.
type daemon struct{ namespace, set, node string }

// daemonOf is the place of a placed Pod, and whether a DaemonSet made it.
func daemonOf(object *v1.Pod) (daemon, bool) {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil || owner.Kind != "DaemonSet" {
		return daemon{}, false
	}
	return daemon{object.Namespace, owner.Name, object.Spec.NodeName}, true
}

// Expected says whether the request's controller would make this Pod at all. A
// DaemonSet makes none for a node that does not meet the node affinity of its
// template or whose taints the template does not tolerate; other Pods are made
// first and placed then.
// Source: NodeShouldRunDaemonPod of k8s.io/kubernetes/pkg/controller/daemon.
func (s *Snapshot) Expected(r *Request) bool {
	if r.daemon == (daemon{}) {
		return true
	}
	i, ok := s.find(r.daemon.node)
	if !ok {
		return false
	}
	n := s.order[i]
	matches, _ := r.nodeAffinity.Match(n.object)
	return matches && untoleratedAt(n.taints, r.tolerations) < 0
}
