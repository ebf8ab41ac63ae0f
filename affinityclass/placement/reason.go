package placement

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
)

// Reason is why a stage dropped a node. Reasons may be shared between nodes and
// must not be changed.
type Reason struct {
	// Rule is what failed, without the numbers and names of one node, such as
	// "nodeSelector zone=us-east not satisfied". Nodes are counted by it.
	Rule string
	// Resource is set with Need and Have where a quantity is short: in the
	// resource's own unit, cpu in thousandths. Have may be negative on a node
	// that is over-committed.
	Resource   string
	Need, Have int64
	// Short lists every resource that is short, the first included, when there
	// are more than one.
	Short []Amount
	// Blocking is the Pod whose presence (or whose own term) refuses this node.
	Blocking types.NamespacedName
	// Term is the constraint that is broken, the request's or the blocking Pod's.
	Term string
	// Detail is what only this node or its domain shows: "zone-a would have 3,
	// the least 1".
	Detail string
	// Fix is the one change that would pass this stage; empty where there is
	// none.
	Fix string
	// unit is written after the numbers, where the resource has a word for it.
	unit  string
	quota string
}

// Amount is a quantity of a resource that is short.
type Amount struct {
	Resource   string
	Need, Have int64
}

// Summary is the reason as an aggregate groups it: the same for every node that
// fails in the same way.
func (r *Reason) Summary() string {
	if r.Resource == "" {
		return r.Rule
	}
	have := max(r.Have, 0)
	if r.unit != "" {
		return fmt.Sprintf("%s requests %d %s, only %d free", r.Rule, r.Need, r.unit, have)
	}
	return fmt.Sprintf("%s requests %s, only %s free", r.Rule, quantity(r.Resource, r.Need), quantity(r.Resource, have))
}

// String is the whole reason, with the blocking Pod.
func (r *Reason) String() string {
	text := r.Summary()
	for _, more := range r.Short[min(1, len(r.Short)):] {
		text += fmt.Sprintf("; %s requests %s, only %s free", more.Resource,
			quantity(more.Resource, more.Need), quantity(more.Resource, max(more.Have, 0)))
	}
	if r.Detail != "" {
		text += ": " + r.Detail
	}
	if r.Blocking.Name != "" {
		text += ": " + r.Blocking.String()
	}
	return text
}

// quantity writes an amount as Kubernetes does: cpu in cores or thousandths,
// bytes in powers of two where they are round.
func quantity(name string, amount int64) string {
	switch name {
	case "cpu", "requests.cpu", "limits.cpu":
		return resource.NewMilliQuantity(amount, resource.DecimalSI).String()
	case "memory", "ephemeral-storage", "requests.memory", "limits.memory":
		return resource.NewQuantity(amount, resource.BinarySI).String()
	default:
		return strconv.FormatInt(amount, 10)
	}
}
