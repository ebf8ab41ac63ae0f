package policy

import (
	"slices"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Mode is how strict a governed namespace is, by its label. The empty Mode is
// Deny: who cannot tell is strict.
type Mode string

// The modes, from the strictest.
const (
	Deny  Mode = "deny"
	Warn  Mode = "warn"
	Audit Mode = "audit"
)

// EnforceLabel opts a namespace in; its value is the Mode.
const EnforceLabel = "affinity.cozystack.io/enforce"

// systemLabel marks a namespace of the platform, which is never governed.
const systemLabel = "cozystack.io/system"

// Milder is what a broken contract means in a namespace of this mode by a class
// of this action.
func (m Mode) Milder(action v1alpha1.EnforcementAction) v1alpha1.EnforcementAction {
	order := []v1alpha1.EnforcementAction{v1alpha1.Deny, v1alpha1.Warn, v1alpha1.Audit}
	return order[max(slices.Index(order, action), m.rank(), 0)]
}

func (m Mode) rank() int { return slices.Index([]Mode{Deny, Warn, Audit}, m) }

// Scope says which namespaces are governed, as the webhook configurations select
// them: by EnforceLabel, else by a label of the platform's own. The zero Scope
// has no such label.
type Scope struct {
	Excluded       []string // namespaces that are never governed, by name
	PlatformKey    string
	PlatformValues []string // empty: any value
	PlatformMode   Mode
}

// ModeOf is the mode that a namespace's labels give it; false when they do not
// opt it in, or it is excluded or one of the platform's own.
func (s Scope) ModeOf(name string, labels map[string]string) (Mode, bool) {
	if labels[systemLabel] == "true" || slices.Contains(s.Excluded, name) {
		return "", false
	}
	if mode := Mode(labels[EnforceLabel]); mode.rank() >= 0 {
		return mode, true
	}
	value, has := labels[s.PlatformKey]
	if s.PlatformKey == "" || !has || len(s.PlatformValues) > 0 && !slices.Contains(s.PlatformValues, value) {
		return "", false
	}
	return s.PlatformMode, true
}

// Namespace is what the labels of a governed namespace say.
type Namespace struct {
	Mode   Mode
	Tenant bool // it bears TenantLabel
}

// Read is what the labels of a namespace say; false when it is not governed.
func (s Scope) Read(name string, labels map[string]string) (Namespace, bool) {
	mode, governed := s.ModeOf(name, labels)
	return Namespace{Mode: mode, Tenant: labels[TenantLabel] == "true"}, governed
}

// WithNamespace returns a snapshot that knows a governed namespace.
func (s *Snapshot) WithNamespace(name string, namespace Namespace) *Snapshot {
	next := s.forgetful()
	next.governed = grown(s.governed)
	next.governed[name] = namespace
	return next
}

// WithoutNamespace returns a snapshot in which the namespace is not governed.
func (s *Snapshot) WithoutNamespace(name string) *Snapshot {
	next := s.forgetful()
	next.governed = grown(s.governed)
	delete(next.governed, name)
	return next
}

// Namespace is what is known of a governed namespace; false when none of that name
// is known to be.
func (s *Snapshot) Namespace(name string) (Namespace, bool) {
	namespace, ok := s.governed[name]
	return namespace, ok
}
