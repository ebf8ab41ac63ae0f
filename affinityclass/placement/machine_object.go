package placement

import (
	"encoding/json"
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// machineObject is what placement reads of a Kairon Machine,
// kairon.zyvor.dev/v1alpha1.
type machineObject struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       struct {
		NodeName   string           `json:"nodeName"`
		Priority   int64            `json:"priority"`
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

// validate finds the first term that names no topology: it would mean nothing,
// and a hard one must not.
func (p *machinePlacement) validate() error {
	for _, list := range []struct {
		field string
		terms []machineTerm
	}{
		{"affinity", p.Affinity}, {"antiAffinity", p.AntiAffinity}, {"preferredAffinity", p.Preferred},
		{"preferredAntiAffinity", p.Avoided}, {"topologySpreadConstraints", p.Spread},
	} {
		for i := range list.terms {
			if list.terms[i].TopologyKey == "" {
				return fmt.Errorf("spec.placement.%s[%d].topologyKey: required", list.field, i)
			}
		}
	}
	return nil
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
	return claims
}
