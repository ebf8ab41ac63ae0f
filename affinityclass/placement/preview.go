package placement

import "slices"

// Ref names an object.
type Ref struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
}

// Preview is where one Pod could land. It keeps nothing of the snapshot and may
// outlive it.
type Preview struct {
	Object  Ref
	Index   int // the request's place among those given to Rank
	Verdict Verdict
	// Transient is true for NoCapacity: waiting may help.
	Transient bool
	// Shortfall is what binds, when the verdict is NoCapacity.
	Shortfall *Shortfall
	// Full says which nodes a shortage is on, where a binary value leaves only
	// some: "full only on the 2 nodes that satisfy require_with_tag web".
	Full string

	Winner   string // empty when no candidate is left
	Tied     int    // candidates that share the best tier and score, the winner included
	Profile  Profile
	Priority int64
	Forced   bool // the caller named the nodes
	// Informative is false when the preferences of a binary value had no choice,
	// for the reason given: "only 1 candidates", counted before they are narrowed
	// to the winning tier, or "affine node not a candidate: dropped by resources",
	// when a node that was dropped would have ranked above all that are left. It
	// is true when nothing binary is preferred. AffineNode names that node.
	Informative       bool
	InformativeReason string
	AffineNode        string
	// Neighbours is how many placed Pods were read for the binary value.
	Neighbours int
	// FirstOfGroup are the tags for which an Unsatisfiable Pod waits for its own
	// like, as in a Constraint.
	FirstOfGroup []string

	Total      int         // nodes considered
	Candidates []Candidate // best first
	Stages     []Stage     // in order, up to the one that left nothing; with Explain, all
	Cut        bool        // Options.Limit was too low: there is no verdict, no stage, no candidate
	Unmodelled []string    // what the Pod uses and the stages do not judge; sorted
	Matrix     []NodeReport
}

// Tie lists the nodes that share the best tier and score, sorted; nil when there
// is but one. Of alike nodes they are thousands, so they are listed on demand.
func (p *Preview) Tie() []string {
	if p.Tied < 2 {
		return nil
	}
	names := make([]string, p.Tied)
	for i := range names {
		names[i] = p.Candidates[i].Node
	}
	slices.Sort(names)
	return names
}

// Candidate is a node that passed every stage, and how it stands.
type Candidate struct {
	Node string
	*Standing
}

// Standing is how a candidate ranks. Candidates that stand alike share one; it
// must not be changed.
type Standing struct {
	Tier  int64 // the binary score; 0 when nothing binary is asked
	Score int64 // the sum of Terms
	Terms []Term
	// Affinity is what the tier was made of; nil when nothing binary is asked.
	Affinity *Affinity
}

// Term is one summand of a score.
type Term struct {
	Name  string
	Value int64
}

// Affinity counts the neighbours that made a binary score.
type Affinity struct {
	InstanceCount int
	Considered    []string
}

// Stage is one filter and the nodes it dropped. Without Explain a node is
// dropped by its first failing stage alone.
type Stage struct {
	Name      string
	Remaining int    // nodes left after this stage and all before
	Dropped   []Drop // sorted by node
}

// Drop is a node and why a stage dropped it.
type Drop struct {
	Node   string
	Reason *Reason
}

// Shortfall is the resource that binds, on the node that is nearest to fitting.
type Shortfall struct {
	Node     string // empty for a quota
	Resource string
	Need     int64 // in the resource's own unit; cpu in thousandths
	Have     int64
	Quota    string // namespace/name of the quota that binds
}

// Short is how much is missing, as a quantity: "600m cpu". On a node that is
// over-committed that is more than the request asks.
func (s *Shortfall) Short() string {
	return quantity(s.Resource, s.Need-s.Have) + " " + s.Resource
}

// NodeReport is one row of the matrix of Explain.
type NodeReport struct {
	Node    string
	Reasons []StageReason // in the order of the stages; empty for a candidate
	// Fix is the smallest change that would make the node a candidate, where
	// that is one step: "tolerate dedicated=gpu:NoSchedule", "600m cpu short".
	Fix string
}

// StageReason is a reason and the stage that gave it.
type StageReason struct {
	Stage  string
	Reason *Reason
}
