package placement

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// placed is a Pod or a Machine that has a node. What most do not have is behind
// one pointer.
type placed struct {
	name  string
	uid   types.UID
	alike *alike
	node  *node
	usage *usage
	extra *extra
	at    int32 // in alike.members
	kind  kind
	// terminating Pods count for resources and ports, not for spread.
	terminating bool
}

type kind uint8

const (
	pod kind = iota
	machine
)

// extra is what few placed Pods have.
type extra struct {
	ports  []hostPort
	terms  []held
	daemon daemon
}

// held is a term and where its holder stands among the term's holders.
type held struct {
	term *term
	at   int32
}

func (p *placed) key() types.NamespacedName {
	return types.NamespacedName{Namespace: p.alike.in.name, Name: p.name}
}

// less orders placed Pods by namespace and name, so that of several that block
// the same one is named.
func (p *placed) less(other *placed) bool {
	if p.alike.in != other.alike.in && p.alike.in.name != other.alike.in.name {
		return p.alike.in.name < other.alike.in.name
	}
	return p.name < other.name
}

// SetPod records a Pod, new or changed. A Pod that has no node or is finished is
// as good as removed.
func (s *Snapshot) SetPod(object *v1.Pod) {
	key := types.NamespacedName{Namespace: object.Namespace, Name: object.Name}
	s.RemovePod(key)
	if object.Spec.NodeName == "" || finished(object) {
		return
	}
	p := &placed{
		name: object.Name, uid: object.UID,
		usage:       s.usageOf(podNeeds(object, inUse()), 0),
		extra:       s.extraOf(object),
		terminating: object.DeletionTimestamp != nil,
	}
	s.pods[key] = p
	s.settle(p, object.Namespace, object.Labels)
	s.land(p, object.Spec.NodeName)
	if p.extra != nil && p.extra.daemon != (daemon{}) {
		s.daemons[p.extra.daemon] = p
	}
}

// RemovePod forgets a Pod.
func (s *Snapshot) RemovePod(key types.NamespacedName) {
	s.generation++
	if p, ok := s.pods[key]; ok {
		delete(s.pods, key)
		if p.extra != nil && s.daemons[p.extra.daemon] == p {
			delete(s.daemons, p.extra.daemon)
		}
		s.leave(p)
	}
}

func finished(object *v1.Pod) bool {
	return object.Status.Phase == v1.PodSucceeded || object.Status.Phase == v1.PodFailed
}
