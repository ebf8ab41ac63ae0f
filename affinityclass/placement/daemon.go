package placement

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// daemon is a DaemonSet's place on one node: the Pod there now is the one that
// the next takes the place of, whatever it is called.
type daemon struct{ namespace, set, node string }

// anyNode stands for the places of a DaemonSet on all nodes at once.
const anyNode = ""

// selfOn is what the request takes the place of on a node; nil for most.
func (r *run) selfOn(n *node) *placed {
	if d := r.request.daemon; d.set != "" {
		p := r.daemons[daemon{d.namespace, d.set, n.name}]
		if _, gone := r.moved[p]; gone {
			return nil
		}
		return p
	}
	if r.self != nil && r.self.node == n {
		return r.self
	}
	return nil
}

// isSelf says whether the request takes the place of a placed Pod.
func (r *run) isSelf(p *placed) bool {
	d := r.request.daemon
	return p == r.self || d.set != "" && d.node == anyNode && p.extra != nil &&
		p.extra.daemon.namespace == d.namespace && p.extra.daemon.set == d.set
}

// daemonOf is the place of a placed Pod, and whether a DaemonSet made
// it: one of the group apps, since a kind of that name in another group promises no
// Pod for each node.
func daemonOf(object *v1.Pod) (daemon, bool) {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil || owner.Kind != "DaemonSet" || !strings.HasPrefix(owner.APIVersion, "apps/") {
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
	if r.daemon.set == "" || r.daemon.node == anyNode {
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
