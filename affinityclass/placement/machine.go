package placement

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// FromMachine makes a request of a Kairon Machine, given as JSON. Its rules are
// Kairon's own: terms match across namespaces, anti-affinity is not symmetric,
// affinity has no first of a group, a skew of 0 is perfect balance.
func FromMachine(object []byte) (*Request, error) {
	m, err := readMachine(object)
	if err != nil {
		return nil, err
	}
	p := &m.Spec.Placement
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("read Machine %s/%s: %w", m.Metadata.Namespace, m.Metadata.Name, err)
	}
	r := &Request{
		object:       Ref{m.APIVersion, m.Kind, m.Metadata.Namespace, m.Metadata.Name},
		uid:          m.Metadata.UID,
		kind:         machine,
		labels:       m.Metadata.Labels,
		nodeName:     m.Spec.NodeName,
		architecture: p.Architecture,
		nodeSelector: p.NodeSelector,
		nodeAffinity: nodeaffinity.NewRequiredNodeAffinity(p.NodeSelector, nil),
		tolerations:  p.Tolerations,
		needs:        m.needs(),
		pinned:       m.pinned(),
		priority:     m.Spec.Priority,
		attract:      termsOf(p.Affinity),
		avoid:        termsOf(p.AntiAffinity),
		claims:       m.claims(),
	}
	for i, t := range termsOf(p.Preferred) {
		r.prefer = append(r.prefer, preference{t, bounded(p.Preferred[i].Weight)})
	}
	for i, t := range termsOf(p.Avoided) {
		r.prefer = append(r.prefer, preference{t, -bounded(p.Avoided[i].Weight)})
	}
	for _, c := range p.Spread {
		r.spread = append(r.spread, spread{
			key: c.TopologyKey, selector: labels.SelectorFromSet(c.LabelSelector),
			maxSkew: c.MaxSkew, hard: c.WhenUnsatisfiable == v1.DoNotSchedule,
		})
	}
	return r, nil
}

// bounded keeps a weight so small that a sum of a thousand stays a number. It has
// no range of its own; nobody can tell the difference from one greater still.
func bounded(weight int64) int64 { return max(min(weight, maxWeight), -maxWeight) }

const maxWeight = int64(1) << 52

func termsOf(raw []machineTerm) []*term {
	var terms []*term
	for _, t := range raw {
		selector := labels.SelectorFromSet(t.LabelSelector)
		terms = append(terms, &term{
			key: t.TopologyKey, selector: selector, all: true,
			text: described(selector) + " on " + t.TopologyKey,
		})
	}
	return terms
}

// SetMachine records a placed Kairon Machine, given as JSON; one without a node
// is as good as removed.
func (s *Snapshot) SetMachine(object []byte) error {
	m, err := readMachine(object)
	if err != nil {
		return err
	}
	key := types.NamespacedName{Namespace: m.Metadata.Namespace, Name: m.Metadata.Name}
	s.RemoveMachine(key)
	if m.Spec.NodeName == "" {
		return nil
	}
	p := &placed{
		name: key.Name, uid: m.Metadata.UID, kind: machine, usage: s.usageOf(m.needs(), m.pinned()),
	}
	s.machines[key] = p
	s.settle(p, key.Namespace, m.Metadata.Labels)
	s.land(p, m.Spec.NodeName)
	return nil
}

// RemoveMachine forgets a Machine.
func (s *Snapshot) RemoveMachine(key types.NamespacedName) {
	s.generation++
	if p, ok := s.machines[key]; ok {
		delete(s.machines, key)
		s.leave(p)
	}
}
