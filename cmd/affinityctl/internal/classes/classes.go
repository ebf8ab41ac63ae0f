// Package classes counts, for each AffinityClass, the nodes that belong to it,
// the releases that name it and the Tenants that refer to it. It is pure: where the objects came from, files
// or a cluster, is its caller's business.
package classes

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass"
	tenantv1 "github.com/cozystack/affinityclass/affinityclass/tenant/v1alpha1"
	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Input is what is known of a cluster.
type Input struct {
	Classes  []v1alpha1.AffinityClass
	Nodes    []corev1.Node
	Releases []Release
	Tenants  []Tenant
}

// Release is a HelmRelease, and the class that it names, if any.
type Release struct{ Name, Class string }

// Tenant is a Tenant, and the classes that it refers to: those of its list, and its
// default.
type Tenant struct {
	Name    string
	Classes []string
}

// Refer makes a Tenant of what one says.
func Refer(t *tenantv1.Tenant) Tenant {
	names := slices.Clone(t.Spec.AllowedAffinityClasses)
	if t.Spec.DefaultAffinityClass != "" {
		names = append(names, t.Spec.DefaultAffinityClass)
	}
	return Tenant{t.Namespace + "/" + t.Name, names}
}

// Class is one line of the answer; with its JSON.
type Class struct {
	Name        string                      `json:"name"`
	Description string                      `json:"description,omitempty"`
	Selector    map[string]string           `json:"nodeSelector,omitempty"`
	Terms       []v1alpha1.NodeSelectorTerm `json:"nodeSelectorTerms,omitempty"`
	Action      v1alpha1.EnforcementAction  `json:"enforcementAction"`
	Nodes       []string                    `json:"nodes"`    // that belong to the class, sorted
	Releases    []string                    `json:"releases"` // that name it, sorted
	Tenants     []string                    `json:"tenants"`  // that refer to it, sorted
	Invalid     string                      `json:"invalid,omitempty"`
}

// List answers for every class, sorted by name.
func List(in Input) []Class {
	found := make([]Class, 0, len(in.Classes))
	for i := range in.Classes {
		found = append(found, in.describe(&in.Classes[i]))
	}
	slices.SortFunc(found, func(a, b Class) int { return cmp.Compare(a.Name, b.Name) })
	return found
}

func (in Input) describe(class *v1alpha1.AffinityClass) Class {
	c := Class{Name: class.Name, Description: class.Spec.Description, Selector: class.Spec.NodeSelector,
		Terms: class.Spec.NodeSelectorTerms, Nodes: []string{}, Releases: []string{}, Tenants: []string{}}
	compiled, err := affinityclass.Compile(class)
	if err != nil {
		c.Action, c.Invalid = class.Spec.EnforcementAction, err.Error()
		return c
	}
	c.Action = compiled.Action()
	for i := range in.Nodes {
		if compiled.Has(&in.Nodes[i]) {
			c.Nodes = append(c.Nodes, in.Nodes[i].Name)
		}
	}
	for _, release := range in.Releases {
		if release.Class == class.Name {
			c.Releases = append(c.Releases, release.Name)
		}
	}
	for _, tenant := range in.Tenants {
		if slices.Contains(tenant.Classes, class.Name) {
			c.Tenants = append(c.Tenants, tenant.Name)
		}
	}
	slices.Sort(c.Nodes)
	slices.Sort(c.Tenants)
	slices.Sort(c.Releases)
	return c
}

// SelectorText writes selector and terms on a line, as kubectl writes selectors.
func (c Class) SelectorText() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(c.Selector)) {
		parts = append(parts, key+"="+c.Selector[key])
	}
	var terms []string
	for _, term := range c.Terms {
		terms = append(terms, termText(term))
	}
	if len(terms) > 0 {
		parts = append(parts, "("+strings.Join(terms, " or ")+")")
	}
	return strings.Join(parts, ",")
}

func termText(term v1alpha1.NodeSelectorTerm) string {
	var parts []string
	for _, r := range term.MatchExpressions {
		parts = append(parts, requirementText(r.Key, r.Operator, r.Values))
	}
	for _, r := range term.MatchFields {
		parts = append(parts, requirementText(r.Key, r.Operator, r.Values))
	}
	return strings.Join(parts, ",")
}

func requirementText(key string, operator corev1.NodeSelectorOperator, values []string) string {
	switch operator {
	case corev1.NodeSelectorOpIn:
		if len(values) == 1 {
			return key + "=" + values[0]
		}
		return key + " in (" + strings.Join(values, ",") + ")"
	case corev1.NodeSelectorOpNotIn:
		return key + " notin (" + strings.Join(values, ",") + ")"
	case corev1.NodeSelectorOpExists:
		return key
	case corev1.NodeSelectorOpDoesNotExist:
		return "!" + key
	case corev1.NodeSelectorOpGt:
		return key + ">" + strings.Join(values, ",")
	default:
		return key + "<" + strings.Join(values, ",")
	}
}
