package surge

import (
	"cmp"
	"errors"
	"maps"
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
// filled object by object, and keeps the nodes and the candidate's Pods. An object
// that is given again takes the place of the first, as in the snapshot.
type Survey struct {
	name    string
	node    *v1.Node
	pods    map[types.NamespacedName]*v1.Pod // of the candidate
	at      map[types.NamespacedName]string  // the node of every Pod that counts
	hosts   map[string]*occupancy
	budgets map[types.NamespacedName]*policyv1.PodDisruptionBudget
}

// occupancy is what there is on a host.
type occupancy struct {
	node *v1.Node
	pods map[types.NamespacedName]occupant
}

// occupant is a Pod, as far as it explains what its host takes.
type occupant struct {
	daemon, owned bool
	takes         [2]int64 // of what raised names, in that order
}

// NewSurvey begins a survey for the drain of a node.
func NewSurvey(candidate string) *Survey {
	return &Survey{
		name: candidate, pods: map[types.NamespacedName]*v1.Pod{}, at: map[types.NamespacedName]string{},
		hosts: map[string]*occupancy{}, budgets: map[types.NamespacedName]*policyv1.PodDisruptionBudget{},
	}
}

// AddNode records a node.
func (s *Survey) AddNode(node *v1.Node) {
	if node.Name == s.name {
		s.node = node
		return
	}
	s.host(node.Name).node = node
}

// AddPod records a Pod; one that has no node or is finished does not count.
func (s *Survey) AddPod(pod *v1.Pod) {
	key := keyOf(pod)
	s.forget(key)
	switch {
	case pod.Spec.NodeName == "" || finished(pod):
		return
	case pod.Spec.NodeName == s.name:
		s.pods[key] = pod
	default:
		s.host(pod.Spec.NodeName).pods[key] = occupantOf(pod)
	}
	s.at[key] = pod.Spec.NodeName
}

// forget takes away what was said of a Pod before.
func (s *Survey) forget(key types.NamespacedName) {
	at, ok := s.at[key]
	if !ok {
		return
	}
	delete(s.at, key)
	delete(s.pods, key)
	if host := s.hosts[at]; host != nil {
		delete(host.pods, key)
	}
}

// AddBudget records a PodDisruptionBudget.
func (s *Survey) AddBudget(budget *policyv1.PodDisruptionBudget) {
	s.budgets[types.NamespacedName{Namespace: budget.Namespace, Name: budget.Name}] = budget
}

// Budgets is how many PodDisruptionBudgets were recorded. A dump without any may
// be one that did not ask for them.
func (s *Survey) Budgets() int { return len(s.budgets) }

// Candidate is the node that is to be drained, with its Pods by namespace and
// name; ErrNoNode when it was not recorded.
func (s *Survey) Candidate() (*Candidate, error) {
	if s.node == nil {
		return nil, ErrNoNode
	}
	c := &Candidate{Node: s.node}
	for _, key := range sortKeys(slices.Collect(maps.Keys(s.pods))) {
		c.Pods = append(c.Pods, s.pods[key])
	}
	return c, nil
}

// standing is the node of a Pod that nobody owns; empty when there is none of that
// name.
func (s *Survey) standing(key types.NamespacedName) string {
	at := s.at[key]
	if at == s.name {
		if pod := s.pods[key]; pod == nil || len(pod.OwnerReferences) > 0 {
			return ""
		}
		return at
	}
	if at != "" && s.hosts[at].pods[key].owned {
		return ""
	}
	return at
}

func (s *Survey) host(name string) *occupancy {
	h, ok := s.hosts[name]
	if !ok {
		h = &occupancy{pods: map[types.NamespacedName]occupant{}}
		s.hosts[name] = h
	}
	return h
}

func occupantOf(pod *v1.Pod) occupant {
	o := occupant{daemon: daemon(pod), owned: len(pod.OwnerReferences) > 0}
	takes := placement.InUse(pod)
	for i, name := range raised() {
		o.takes[i] = takes[name]
	}
	return o
}

// daemons are what the DaemonSets of the host request of what raised names.
func (h *occupancy) daemons() placement.Amounts {
	sum := placement.Amounts{}
	for _, o := range h.pods {
		for i, name := range raised() {
			if o.daemon {
				sum[name] += o.takes[i]
			}
		}
	}
	return sum
}

// workload are the Pods that no DaemonSet owns, and of those the ones that request
// neither cpu nor memory. The Pod left out is not among them.
func (h *occupancy) workload(without types.NamespacedName) (all int, weightless []types.NamespacedName) {
	for key, o := range h.pods {
		if o.daemon || key == without {
			continue
		}
		all++
		if o.takes == [2]int64{} {
			weightless = append(weightless, key)
		}
	}
	return all, weightless
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
