package placement

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// machineObject is what placement reads of a Kairon Machine,
// kairon.zyvor.dev/v1alpha1.
type machineObject struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       struct {
		NodeName   string           `json:"nodeName"`
		Priority   int32            `json:"priority"`
		CPUPinning bool             `json:"cpuPinning"`
		Resources  machineResources `json:"resources"`
		Placement  machinePlacement `json:"placement"`
		Claims     []machineClaim   `json:"deviceClaims"`
	} `json:"spec"`
}

type machineResources struct {
	CPU    *resource.Quantity `json:"cpu"`
	VCPUs  *resource.Quantity `json:"vcpus"`
	Memory *resource.Quantity `json:"memory"`
	Pinned bool               `json:"cpuPinning"`
}

type machineClaim struct {
	Name              string `json:"name"`
	ResourceClaimName string `json:"resourceClaimName"`
}

type machinePlacement struct {
	Architecture string            `json:"architecture"`
	NodeSelector map[string]string `json:"nodeSelector"`
	Affinity     []machineTerm     `json:"affinity"`
	AntiAffinity []machineTerm     `json:"antiAffinity"`
	Preferred    []machineTerm     `json:"preferredAffinity"`
	Avoided      []machineTerm     `json:"preferredAntiAffinity"`
	Tolerations  []v1.Toleration   `json:"tolerations"`
	Spread       []machineTerm     `json:"topologySpreadConstraints"`
}

// machineTerm is a term or a constraint: the selector is a plain map.
type machineTerm struct {
	Weight            int64                            `json:"weight"`
	LabelSelector     map[string]string                `json:"labelSelector"`
	TopologyKey       string                           `json:"topologyKey"`
	MaxSkew           int64                            `json:"maxSkew"`
	WhenUnsatisfiable v1.UnsatisfiableConstraintAction `json:"whenUnsatisfiable"`
}

// FromMachine makes a request of a Kairon Machine, given as JSON. Its rules are
// Kairon's own: terms match across namespaces, anti-affinity is not symmetric,
// affinity has no first of a group, a skew of 0 is perfect balance.
func FromMachine(object []byte) (*Request, error) {
	m, err := readMachine(object)
	if err != nil {
		return nil, err
	}
	p := &m.Spec.Placement
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
		r.prefer = append(r.prefer, preference{t, p.Preferred[i].Weight})
	}
	for i, t := range termsOf(p.Avoided) {
		r.prefer = append(r.prefer, preference{t, -p.Avoided[i].Weight})
	}
	for _, c := range p.Spread {
		r.spread = append(r.spread, spread{
			key: c.TopologyKey, selector: labels.SelectorFromSet(c.LabelSelector),
			maxSkew: c.MaxSkew, hard: c.WhenUnsatisfiable == v1.DoNotSchedule,
		})
	}
	return r, nil
}

func readMachine(object []byte) (*machineObject, error) {
	var m machineObject
	if err := json.Unmarshal(object, &m); err != nil {
		return nil, fmt.Errorf("read Machine: %w", err)
	}
	if m.Kind != "Machine" || !strings.HasPrefix(m.APIVersion, "kairon.zyvor.dev/") {
		return nil, fmt.Errorf("read Machine: %s %s is another kind", m.APIVersion, m.Kind)
	}
	if m.Metadata.Namespace == "" {
		m.Metadata.Namespace = metav1.NamespaceDefault
	}
	return &m, nil
}

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

func (m *machineObject) cpus() *resource.Quantity {
	if m.Spec.Resources.VCPUs != nil {
		return m.Spec.Resources.VCPUs
	}
	return m.Spec.Resources.CPU
}

func (m *machineObject) needs() []need {
	var needs []need
	if q := m.cpus(); q != nil && !q.IsZero() {
		needs = append(needs, need{string(v1.ResourceCPU), q.MilliValue()})
	}
	if q := m.Spec.Resources.Memory; q != nil && !q.IsZero() {
		needs = append(needs, need{string(v1.ResourceMemory), q.Value()})
	}
	return needs
}

// pinned is how many whole cpus the Machine wants for itself.
func (m *machineObject) pinned() int64 {
	if q := m.cpus(); q != nil && (m.Spec.CPUPinning || m.Spec.Resources.Pinned) {
		return q.Value()
	}
	return 0
}

func (m *machineObject) claims() []types.NamespacedName {
	var claims []types.NamespacedName
	for _, claim := range m.Spec.Claims {
		name := claim.ResourceClaimName
		if name == "" {
			name = claim.Name
		}
		claims = append(claims, types.NamespacedName{Namespace: m.Metadata.Namespace, Name: name})
	}
	return slices.Clip(claims)
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
