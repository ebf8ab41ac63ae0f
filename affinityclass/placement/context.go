package placement

import (
	"maps"

	v1 "k8s.io/api/core/v1"
)

// PriorityClass is what a Pod's priorityClassName stands for.
type PriorityClass struct {
	Name          string
	Value         int32
	GlobalDefault bool
}

// SetPriorityClass records a priority class, new or changed.
func (s *Snapshot) SetPriorityClass(class PriorityClass) {
	s.generation++
	s.classes[class.Name] = class
}

// RemovePriorityClass forgets a priority class.
func (s *Snapshot) RemovePriorityClass(name string) {
	s.generation++
	delete(s.classes, name)
}

// SetNamespace records a namespace's labels.
func (s *Snapshot) SetNamespace(object *v1.Namespace) {
	s.generation++
	ns := s.namespace(object.Name)
	ns.present, ns.labels = true, maps.Clone(object.Labels)
}

// RemoveNamespace forgets a namespace's labels. Its Pods stay until they are
// removed themselves.
func (s *Snapshot) RemoveNamespace(name string) {
	s.generation++
	ns, ok := s.namespaces[name]
	if !ok {
		return
	}
	ns.present, ns.labels = false, nil
	s.forget(ns)
}

// priority is what a Pod's class is worth: the number the API server wrote on
// the Pod, else the class by name, else the cluster's default, else 0. Of
// several defaults the lowest counts, as in the API server.
func (s *Snapshot) priority(object *v1.Pod) int32 {
	if object.Spec.Priority != nil {
		return *object.Spec.Priority
	}
	if name := object.Spec.PriorityClassName; name != "" {
		return s.classes[name].Value
	}
	value, found := int32(0), false
	for _, class := range s.classes {
		if class.GlobalDefault && (!found || class.Value < value) {
			value, found = class.Value, true
		}
	}
	return value
}
