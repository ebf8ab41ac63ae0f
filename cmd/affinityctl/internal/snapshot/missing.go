package snapshot

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/affinityclass/workload"
)

// Seen counts what a dump held, and what was asked of it, to tell what an answer
// had to do without: a part must not be taken for the whole.
type Seen struct {
	kinds      map[schema.GroupKind]int
	namespaces map[string]bool // that have their object in the dump
	peopled    map[string]bool // that have a Pod in it, or are asked about
	classes    map[string]bool // PriorityClasses of the dump
	wanted     map[string]bool // PriorityClasses that are asked about
	selecting  bool            // some namespaceSelector was met
	pods       bool            // Pods are asked about, not Machines alone
}

// NewSeen has seen nothing.
func NewSeen() *Seen {
	return &Seen{kinds: map[schema.GroupKind]int{}, namespaces: map[string]bool{}, peopled: map[string]bool{},
		classes: map[string]bool{}, wanted: map[string]bool{}}
}

// Object notes an object of the dump.
func (s *Seen) Object(kind schema.GroupKind, namespace, name string, object []byte) {
	s.kinds[kind]++
	switch kind.String() {
	case "Namespace":
		s.namespaces[name] = true
	case "PriorityClass.scheduling.k8s.io":
		s.classes[name] = true
	case "Pod":
		s.peopled[namespace] = true
		// Of a Pod that is placed only its required anti-affinity bears on others.
		if a := affinityOf(object); a != nil && a.PodAntiAffinity != nil {
			s.selecting = s.selecting || slices.ContainsFunc(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution, selects)
		}
	}
}

// Asked notes an object whose Pods are to be placed.
func (s *Seen) Asked(kind schema.GroupKind, namespace string, object []byte) {
	if template, ok, err := workload.Find(kind, object); ok && err == nil {
		object = template.JSON
	}
	s.pods = s.pods || kind != Machine()
	s.peopled[namespace] = true
	var pod corev1.Pod
	if json.Unmarshal(object, &pod) != nil {
		return // whoever places it says what is wrong with it
	}
	if pod.Spec.PriorityClassName != "" && pod.Spec.Priority == nil {
		s.wanted[pod.Spec.PriorityClassName] = true
	}
	s.selecting = s.selecting || slices.ContainsFunc(termsOf(pod.Spec.Affinity), selects)
}

// Missing says, a sentence each, what the dump lacks that bears on the answer.
func (s *Seen) Missing() []string {
	var notes []string
	if s.kinds[schema.GroupKind{Kind: "Pod"}] == 0 {
		notes = append(notes, "the snapshot has no Pods: every node is taken for empty")
	}
	if lost := lacking(s.peopled, s.namespaces); s.selecting && len(lost) > 0 {
		notes = append(notes, fmt.Sprintf("the snapshot lacks %s: a namespaceSelector is taken not to match there, unless it matches all", counted("Namespace", lost)))
	}
	if lost := lacking(s.wanted, s.classes); len(lost) > 0 {
		notes = append(notes, fmt.Sprintf("the snapshot lacks %s: priority 0 is assumed", counted("PriorityClass", lost)))
	}
	if s.pods && s.kinds[schema.GroupKind{Kind: "ResourceQuota"}] == 0 {
		notes = append(notes, "the snapshot has no ResourceQuotas: none is considered")
	}
	return notes
}

// lacking are the names of a that b does not have, sorted.
func lacking(a, b map[string]bool) []string {
	var names []string
	for name := range a {
		if !b[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// counted names a few.
func counted(kind string, names []string) string {
	const few = 4
	if more := len(names) - few; more > 0 {
		return fmt.Sprintf("%s %s and %d more", kind, strings.Join(names[:few], ", "), more)
	}
	return kind + " " + strings.Join(names, ", ")
}

func affinityOf(object []byte) *corev1.Affinity {
	var pod struct {
		Spec struct {
			Affinity *corev1.Affinity `json:"affinity"`
		} `json:"spec"`
	}
	if json.Unmarshal(object, &pod) != nil {
		return nil
	}
	return pod.Spec.Affinity
}

func termsOf(a *corev1.Affinity) []corev1.PodAffinityTerm {
	if a == nil {
		return nil
	}
	var terms []corev1.PodAffinityTerm
	var soft []corev1.WeightedPodAffinityTerm
	if p := a.PodAffinity; p != nil {
		terms = append(terms, p.RequiredDuringSchedulingIgnoredDuringExecution...)
		soft = append(soft, p.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	if p := a.PodAntiAffinity; p != nil {
		terms = append(terms, p.RequiredDuringSchedulingIgnoredDuringExecution...)
		soft = append(soft, p.PreferredDuringSchedulingIgnoredDuringExecution...)
	}
	for _, weighted := range soft {
		terms = append(terms, weighted.PodAffinityTerm)
	}
	return terms
}

// selects holds for a term that picks namespaces by their labels; an empty selector
// picks them all.
func selects(term corev1.PodAffinityTerm) bool {
	return term.NamespaceSelector != nil && !isEmpty(term.NamespaceSelector)
}

func isEmpty(s *metav1.LabelSelector) bool { return len(s.MatchLabels)+len(s.MatchExpressions) == 0 }
