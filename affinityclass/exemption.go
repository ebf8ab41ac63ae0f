package affinityclass

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Exemption is an AffinityExemption ready to be asked about Pods. It is
// immutable and safe for concurrent use.
type Exemption struct {
	name       string
	spec       v1alpha1.AffinityExemptionSpec
	controller *schema.GroupKind // nil: any, and none
	selector   labels.Selector
}

// Creation is what an exemption looks at: who makes the Pod, and which.
type Creation struct {
	Username   string // authenticated
	Namespace  string
	Controller *schema.GroupKind // of the Pod's controller reference; nil without one
	Labels     map[string]string
}

// CompileExemption prepares an exemption. The error says which field is wrong.
func CompileExemption(exemption *v1alpha1.AffinityExemption) (*Exemption, error) {
	e := &Exemption{name: exemption.Name, spec: exemption.DeepCopy().Spec, selector: labels.Everything()}
	if kind := e.spec.OwnerKind; kind != nil {
		e.controller = &schema.GroupKind{Group: kind.Group, Kind: kind.Kind}
	}
	if e.spec.PodSelector != nil {
		selector, err := metav1.LabelSelectorAsSelector(e.spec.PodSelector.LabelSelector())
		if err != nil {
			return nil, fmt.Errorf("spec.podSelector: %w", err)
		}
		e.selector = selector
	}
	return e, nil
}

// Name is the name of the AffinityExemption.
func (e *Exemption) Name() string { return e.name }

// Reason is what it says for people.
func (e *Exemption) Reason() string { return e.spec.Reason }

// Covers says whether the exemption lets the Pod through at the moment now. The
// creator decides: a tenant may well be able to make the owner's kind and to set
// the labels, but not to be that user.
func (e *Exemption) Covers(c Creation, now time.Time) bool {
	switch {
	case e.spec.Expires != nil && !now.Before(e.spec.Expires.Time):
		return false
	case len(e.spec.Namespaces) > 0 && !slices.Contains(e.spec.Namespaces, c.Namespace):
		return false
	case e.controller != nil && (c.Controller == nil || *c.Controller != *e.controller):
		return false
	}
	return e.createdBy(c.Username) && e.selector.Matches(labels.Set(c.Labels))
}

const everyAccount = ":*"

func (e *Exemption) createdBy(username string) bool {
	return slices.ContainsFunc(e.spec.Usernames, func(name string) bool {
		if prefix, all := strings.CutSuffix(name, everyAccount); all {
			namespace, _, ok := ServiceAccount(username)
			return ok && prefix == accountPrefix+namespace
		}
		return name == username
	})
}

const accountPrefix = "system:serviceaccount:"

// ServiceAccount takes the name by which a ServiceAccount is known to the API
// server apart; false for any other user.
func ServiceAccount(username string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(username, accountPrefix)
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(rest, ":")
	return namespace, name, ok && namespace != "" && name != "" && !strings.Contains(name, ":")
}
