package surge

import (
	"cmp"
	"errors"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// ErrNoNode says that the node to be drained was not among those surveyed.
var ErrNoNode = errors.New("no such node")

// Survey is what an audit reads beside the snapshot: the candidate and its Pods,
// and of the other hosts what explains that they take a whole node's worth. It is
// filled object by object, and keeps the nodes and the candidate's Pods.
type Survey struct {
	name    string
	found   Candidate
	hosts   map[string]*occupancy
	budgets []*policyv1.PodDisruptionBudget
}

// occupancy is what there is on a host.
type occupancy struct {
	node       *v1.Node
	daemons    placement.Amounts
	workload   int                    // Pods that no DaemonSet owns
	weightless []types.NamespacedName // of those, the ones that request neither cpu nor memory
}

// NewSurvey begins a survey for the drain of a node.
func NewSurvey(candidate string) *Survey {
	return &Survey{name: candidate, hosts: map[string]*occupancy{}}
}

// AddNode records a node.
func (s *Survey) AddNode(node *v1.Node) {
	if node.Name == s.name {
		s.found.Node = node
		return
	}
	s.host(node.Name).node = node
}

// AddPod records a Pod; one that has no node or is finished does not count.
func (s *Survey) AddPod(pod *v1.Pod) {
	switch {
	case pod.Spec.NodeName == "" || finished(pod):
	case pod.Spec.NodeName == s.name:
		s.found.Pods = append(s.found.Pods, pod)
	default:
		s.host(pod.Spec.NodeName).add(pod)
	}
}

// AddBudget records a PodDisruptionBudget.
func (s *Survey) AddBudget(budget *policyv1.PodDisruptionBudget) {
	s.budgets = append(s.budgets, budget)
}

// Budgets is how many PodDisruptionBudgets were recorded. A dump without any may
// be one that did not ask for them.
func (s *Survey) Budgets() int { return len(s.budgets) }

// Candidate is the node that is to be drained; ErrNoNode when it was not recorded.
func (s *Survey) Candidate() (*Candidate, error) {
	if s.found.Node == nil {
		return nil, ErrNoNode
	}
	return &s.found, nil
}

func (s *Survey) host(name string) *occupancy {
	h, ok := s.hosts[name]
	if !ok {
		h = &occupancy{daemons: placement.Amounts{}}
		s.hosts[name] = h
	}
	return h
}

func (h *occupancy) add(pod *v1.Pod) {
	takes := placement.InUse(pod)
	if daemon(pod) {
		add(h.daemons, takes)
		return
	}
	h.workload++
	if takes[v1.ResourceCPU] == 0 && takes[v1.ResourceMemory] == 0 {
		h.weightless = append(h.weightless, keyOf(pod))
	}
}

func keyOf(pod *v1.Pod) types.NamespacedName {
	return types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
}

func sortKeys(keys []types.NamespacedName) []types.NamespacedName {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, func(a, b types.NamespacedName) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return keys
}
