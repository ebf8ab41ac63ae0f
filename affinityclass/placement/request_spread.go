package placement

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// spread is a topology spread constraint, compiled.
type spread struct {
	key           string
	selector      labels.Selector
	maxSkew       int64
	minDomains    int64
	hard          bool
	honorAffinity bool
	honorTaints   bool
}

func (c *spread) String() string { return described(c.selector) + " on " + c.key }

// spreadOf compiles a Pod's constraints with the scheduler's defaults: at least
// one domain, node affinity honoured, taints ignored.
func spreadOf(object *v1.Pod) ([]spread, error) {
	var all []spread
	for _, raw := range object.Spec.TopologySpreadConstraints {
		selector, err := metav1.LabelSelectorAsSelector(raw.LabelSelector)
		if err != nil {
			return nil, err
		}
		c := spread{
			key: raw.TopologyKey, maxSkew: int64(raw.MaxSkew), minDomains: 1,
			selector:      narrowed(selector, raw.MatchLabelKeys, object.Labels),
			hard:          raw.WhenUnsatisfiable == v1.DoNotSchedule,
			honorAffinity: raw.NodeAffinityPolicy == nil || *raw.NodeAffinityPolicy == v1.NodeInclusionPolicyHonor,
			honorTaints:   raw.NodeTaintsPolicy != nil && *raw.NodeTaintsPolicy == v1.NodeInclusionPolicyHonor,
		}
		if raw.MinDomains != nil {
			c.minDomains = int64(*raw.MinDomains)
		}
		all = append(all, c)
	}
	return all, nil
}

// narrowed adds the Pod's own values of the keys to a selector; one that matches
// nothing stays so.
func narrowed(selector labels.Selector, keys []string, of map[string]string) labels.Selector {
	requirements, selectable := selector.Requirements()
	if !selectable {
		return selector
	}
	own := labels.Set{}
	for _, key := range keys {
		if value, ok := of[key]; ok {
			own[key] = value
		}
	}
	if len(own) == 0 {
		return selector
	}
	return labels.SelectorFromSet(own).Add(requirements...)
}
