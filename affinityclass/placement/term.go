package placement

import (
	"encoding/json"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// term is a Pod affinity or anti-affinity term, compiled. Required anti-affinity
// of placed Pods is indexed by term, since one term is asked once for all that
// bear it.
type term struct {
	key        string // the topology key
	selector   labels.Selector
	namespaces []string
	// wide selects namespaces by label; nil when the term does not.
	wide labels.Selector
	all  bool   // every namespace: a Machine's
	text string // for people: "app=db on kubernetes.io/hostname"

	steps   int // what it costs to ask it once
	id      string
	holders []holder
}

// holder is a placed Pod with the term, and which of its terms that is.
type holder struct {
	pod  *placed
	term int32
}

// compile reads a term as the scheduler does: one that names no namespace means
// the owner's. Its label keys are in its selector already, by the values that the
// owner had when it was created.
func compile(raw *v1.PodAffinityTerm, owner metav1.Object) (*term, error) {
	selector, err := metav1.LabelSelectorAsSelector(raw.LabelSelector)
	if err != nil {
		return nil, err
	}
	t := &term{key: raw.TopologyKey, selector: selector, namespaces: slices.Compact(slices.Sorted(slices.Values(raw.Namespaces)))}
	if raw.NamespaceSelector != nil {
		if t.wide, err = metav1.LabelSelectorAsSelector(raw.NamespaceSelector); err != nil {
			return nil, err
		}
	} else if len(raw.Namespaces) == 0 {
		t.namespaces = []string{owner.GetNamespace()}
	}
	t.text = described(selector) + " on " + t.key
	t.steps = t.matchSteps()
	return t, nil
}

// described writes a selector for people. The two that say nothing, every Pod
// and no Pod, differ in this alone.
func described(selector labels.Selector) string {
	if _, selectable := selector.Requirements(); !selectable {
		return "no Pod"
	}
	if selector.Empty() {
		return "any Pod"
	}
	return selector.String()
}

// matches says whether a placed Pod's term speaks of a Pod with these labels in
// the namespace.
func (t *term) matches(in *namespace, of labels.Labels) bool {
	reached := t.all || slices.Contains(t.namespaces, in.name) || t.wide != nil && t.wide.Matches(in.labels)
	return reached && t.selector.Matches(of)
}

// reaches says whether a request's own term speaks of Pods in the namespace. The
// scheduler lists the namespaces of a selector, so that one without an object is
// reached only when all are.
func (t *term) reaches(in *namespace) bool {
	return t.all || slices.Contains(t.namespaces, in.name) ||
		t.wide != nil && (t.wide.Empty() || in.present && t.wide.Matches(in.labels))
}

// identity is equal for terms that mean the same to every Pod.
func (t *term) identity() string {
	wide := "-"
	if t.wide != nil {
		wide = "+" + described(t.wide)
	}
	id, _ := json.Marshal([]string{t.key, described(t.selector), wide, strings.Join(t.namespaces, ",")})
	return string(id)
}

// requiredTerms compiles the required terms of one side; those that cannot be
// read are left out and reported.
func requiredTerms(raw []v1.PodAffinityTerm, owner metav1.Object) ([]*term, error) {
	var terms []*term
	var first error
	for i := range raw {
		t, err := compile(&raw[i], owner)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		terms = append(terms, t)
	}
	return terms, first
}

func antiAffinityOf(object *v1.Pod) []v1.PodAffinityTerm {
	if a := object.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func affinityOf(object *v1.Pod) []v1.PodAffinityTerm {
	if a := object.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}
