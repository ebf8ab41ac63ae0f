package surge

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Narrowing is what it would change to require hosts to share a label's value with
// the candidate, and what that costs.
type Narrowing struct {
	Label, Value string
	Required     bool // asked for already; else it is a suggestion
	// Excluded are the absorbing hosts that it takes away, sorted.
	Excluded []string
	Nodes    int // other nodes with that value
	Of       int // other nodes
}

// Price says what the requirement costs.
func (n *Narrowing) Price() string {
	return fmt.Sprintf("%d of %d other nodes qualify, and a new node must be of the same: when that is short, no other is taken instead", n.Nodes, n.Of)
}

// narrow weighs the labels that are required, and the instance type when it is
// not.
func (a *audit) narrow() error {
	if !a.report.Size().Reserves() {
		return nil
	}
	labels := slices.Clone(a.Placeholder.Same)
	if _, ok := a.candidate.Node.Labels[v1.LabelInstanceTypeStable]; ok {
		labels = append(labels, v1.LabelInstanceTypeStable)
	}
	slices.Sort(labels)
	for _, label := range slices.Compact(labels) {
		narrowing, err := a.narrowing(label)
		if err != nil {
			return err
		}
		a.report.Narrowings = append(a.report.Narrowings, *narrowing)
	}
	return nil
}

func (a *audit) narrowing(label string) (*Narrowing, error) {
	n := &Narrowing{Label: label, Value: a.candidate.Node.Labels[label], Required: slices.Contains(a.Placeholder.Same, label)}
	others := slices.DeleteFunc(slices.Clone(a.Placeholder.Same), func(l string) bool { return l == label })
	without, err := a.absorbing(others)
	if err != nil {
		return nil, err
	}
	with, err := a.absorbing(append(others, label))
	if err != nil {
		return nil, err
	}
	n.Excluded = slices.DeleteFunc(without, func(name string) bool {
		_, still := slices.BinarySearch(with, name)
		return still
	})
	for _, host := range a.Survey.hosts {
		if host.node == nil {
			continue
		}
		n.Of++
		if value, ok := host.node.Labels[label]; ok && value == n.Value {
			n.Nodes++
		}
	}
	return n, nil
}

// absorbing are the nodes that could take the placeholder with these labels
// required.
func (a *audit) absorbing(same []string) ([]string, error) {
	_, request, err := a.request(a.report.Size().Reservation, same)
	if err != nil {
		return nil, err
	}
	return candidates(a.cordoned.Preview(request, placement.Options{})), nil
}
