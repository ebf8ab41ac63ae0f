package drain

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

// Report is the answer for programs; quantities are in canonical form.
type Report struct {
	Candidate     string            `json:"candidate"`
	WholeNode     bool              `json:"wholeNode"`
	Reschedulable []string          `json:"reschedulable"` // Pods, namespace/name
	Placeholder   *Placeholder      `json:"placeholder"`   // null when nothing is reserved
	Clamped       map[string]string `json:"clamped"`       // by how much the drain exceeds the node
	Refused       []Refused         `json:"refused"`
	Absorb        []Host            `json:"absorb"`
	Excluded      []Excluded        `json:"excluded"`
	Elsewhere     []Elsewhere       `json:"elsewhere"` // each Pod in the rest of the cluster
	Residuals     []Residual        `json:"residuals"`
	Narrowing     []Narrowing       `json:"narrowing"`
	Compare       Compare           `json:"compare"`
	Budgets       []Budget          `json:"budgets"` // that hold up the drain
	Unmodelled    []Unmodelled      `json:"unmodelled"`
	Unmanaged     []string          `json:"unmanaged"` // Pods that nothing creates again
	Notes         []string          `json:"notes"`     // what the answer had to do without, and what it took for granted

	audit *surge.Report
	known Known
}

// Placeholder is what the Pod that reserves room asks.
type Placeholder struct {
	Name     string            `json:"name"`
	Requests map[string]string `json:"requests"`
	// Tolerates are the taints of the node that it tolerates.
	Tolerates []string `json:"tolerates"`
}

// Refused is a resource of which nothing can be reserved.
type Refused struct {
	Resource string `json:"resource"`
	Limit    string `json:"limit"`
	Reason   string `json:"reason"`
}

// Host could take the placeholder.
type Host struct {
	Node string `json:"node"`
	Pods []Pod  `json:"pods"`
}

// Pod is how a Pod fares on a host, beside the others.
type Pod struct {
	Pod     string      `json:"pod"`
	Verdict string      `json:"verdict"` // Accepted or Refused
	Stage   string      `json:"stage,omitempty"`
	Reason  string      `json:"reason,omitempty"`
	Class   surge.Class `json:"class,omitempty"`
	// Blocking is the Pod that stands in the way, and Term the constraint.
	Blocking string `json:"blocking,omitempty"`
	Term     string `json:"term,omitempty"`
}

// Excluded could not take it.
type Excluded struct {
	Node   string `json:"node"`
	Reason string `json:"reason"`
}

// Elsewhere is a Pod's place among all other nodes.
type Elsewhere struct {
	Pod     string `json:"pod"`
	Verdict string `json:"verdict"` // Placed, Contended or Nowhere
	Node    string `json:"node,omitempty"`
	// Possible, of a contended Pod, are the nodes that might take it if the others
	// landed otherwise.
	Possible []string    `json:"possible,omitempty"`
	Reasons  []string    `json:"reasons,omitempty"`
	Class    surge.Class `json:"class,omitempty"`
	// Refusals are why the nodes refuse it, by stage and node.
	Refusals []Refusal `json:"refusals,omitempty"`
}

// Refusal is why a node does not take a Pod.
type Refusal struct {
	Node     string      `json:"node"`
	Stage    string      `json:"stage"`
	Reason   string      `json:"reason"`
	Blocking string      `json:"blocking,omitempty"` // the Pod that stands in the way
	Term     string      `json:"term,omitempty"`     // the constraint that is broken
	Class    surge.Class `json:"class"`
}

// Residual is why an occupied host takes a whole node's worth.
type Residual struct {
	Node   string `json:"node"`
	Name   string `json:"name"`
	Detail string `json:"detail"`
}

// Narrowing is what a required label changes.
type Narrowing struct {
	Label    string   `json:"label"`
	Value    string   `json:"value"`
	Required bool     `json:"required"`
	Excluded []string `json:"excluded"`
	Price    string   `json:"price"`
}

// Compare holds both sizes side by side.
type Compare struct {
	DrainSized Size `json:"drainSized"`
	WholeNode  Size `json:"wholeNode"`
}

// Size is one of them.
type Size struct {
	Requests map[string]string `json:"requests"`           // null when nothing is reserved
	Absorb   int               `json:"absorb"`             // nodes that could take it
	Excluded int               `json:"excluded"`           // nodes that could not
	Unplaced []string          `json:"unplaced"`           // Pods that one of those nodes refuses
	Extra    map[string]string `json:"extra"`              // asked beyond what the Pods request
	Headroom *Headroom         `json:"headroom,omitempty"` // only with --limit
}

// Headroom is what a limit says; a check beforehand and not an invariant.
type Headroom struct {
	Verdict surge.Headroom    `json:"verdict"`
	Short   map[string]string `json:"short,omitempty"`
}

// Budget is a PodDisruptionBudget that holds up the drain.
type Budget struct {
	Budget  string   `json:"budget"`
	Allowed int32    `json:"allowed"`
	Why     string   `json:"why"`
	Pods    []string `json:"pods"`
}

// Unmodelled is what the audit does not know of a Pod.
type Unmodelled struct {
	Pod     string   `json:"pod"`
	What    []string `json:"what"`
	Volumes []string `json:"volumes,omitempty"` // that may tie it to some nodes
}

// Known is what the reader should know of the question.
type Known struct {
	// Classes ask for a whole node's worth, and no flag was given.
	Classes []string
	// Lacking is what the dump lacks that bears on the answer, a sentence each.
	Lacking []string
}

// New makes the report of an audit.
func New(a *surge.Report, known Known) *Report {
	size := a.Size()
	r := &Report{
		Candidate: a.Candidate, WholeNode: a.Mode == surge.WholeNode, Reschedulable: names(a.Leaving),
		Clamped: quantities(size.Clamped), Refused: []Refused{}, Absorb: []Host{}, Excluded: []Excluded{}, Elsewhere: []Elsewhere{},
		Residuals: []Residual{}, Narrowing: []Narrowing{}, Budgets: []Budget{}, Unmanaged: names(a.Unmanaged),
		Compare: Compare{sized(a.DrainSized), sized(a.WholeNode)}, Unmodelled: unmodelled(a), Notes: list(slices.Concat(known.Lacking, assumed(a))), audit: a, known: known,
	}
	if a.Placeholder != nil {
		r.Placeholder = &Placeholder{a.Placeholder.Name, quantities(size.Requests), tolerated(a)}
	}
	for _, refusal := range size.Refused {
		limit := placement.Quantity(refusal.Resource, refusal.Limit)
		r.Refused = append(r.Refused, Refused{string(refusal.Resource), limit.String(), refusal.String()})
	}
	for _, e := range size.Excluded {
		r.Excluded = append(r.Excluded, Excluded{e.Node, e.Reason.String()})
	}
	for _, host := range r.absorbing() {
		r.Absorb = append(r.Absorb, r.host(&host))
	}
	for i := range a.Elsewhere {
		r.Elsewhere = append(r.Elsewhere, elsewhere(&a.Elsewhere[i]))
	}
	for _, residual := range a.Residuals {
		r.Residuals = append(r.Residuals, Residual{residual.Host, residual.Name, residual.Detail})
	}
	for _, n := range a.Narrowings {
		r.Narrowing = append(r.Narrowing, Narrowing{n.Label, n.Value, n.Required, list(n.Excluded), n.Price()})
	}
	for _, hold := range a.Holds {
		r.Budgets = append(r.Budgets, Budget{hold.Budget.String(), hold.Allowed, hold.Why, names(hold.Pods)})
	}
	return r
}

func names(keys []types.NamespacedName) []string {
	all := make([]string, 0, len(keys))
	for _, key := range keys {
		all = append(all, key.String())
	}
	return all
}

// tolerated are the taints that the placeholder tolerates, as kubectl writes them.
func tolerated(a *surge.Report) []string {
	all := []string{}
	for _, t := range a.Placeholder.Spec.Tolerations {
		all = append(all, (&v1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect}).ToString())
	}
	return all
}

// list never gives null: readers of JSON may count on a list.
func list(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}

func quantities(amounts placement.Amounts) map[string]string {
	all := make(map[string]string, len(amounts))
	for name, quantity := range amounts.List() {
		all[string(name)] = quantity.String()
	}
	return all
}
