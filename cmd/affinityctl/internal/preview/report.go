// Package preview turns the previews of affinityclass/placement into what
// affinityctl answers: JSON for programs, text for people, and an exit code.
//
// It decides nothing; every verdict, score and reason is placement's.
package preview

import (
	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Report is the answer, one item for each Pod.
type Report struct {
	Items []Item   `json:"items"`
	Notes []string `json:"notes,omitempty"` // what the answer had to do without
}

// Item is where one Pod could land.
type Item struct {
	Object            placement.Ref     `json:"object"`
	Verdict           placement.Verdict `json:"verdict"`
	Code              int               `json:"code"` // 0 when it fits
	Transient         bool              `json:"transient"`
	Shortfall         string            `json:"shortfall,omitempty"` // what binds: "600m cpu"
	Full              string            `json:"full,omitempty"`      // where, when a binary value leaves only some nodes
	Winner            string            `json:"winner"`
	Tie               []string          `json:"tie"`
	Profile           placement.Profile `json:"profile"`
	Priority          int64             `json:"priority"`
	Forced            bool              `json:"forced"`
	Informative       bool              `json:"informative"`
	InformativeReason string            `json:"informativeReason"`
	AffineNode        string            `json:"affineNode,omitempty"` // that was no candidate
	FirstOfGroup      []string          `json:"firstOfGroup,omitempty"`
	CandidateCount    int               `json:"candidateCount"`
	Unmodelled        []string          `json:"unmodelled"`
	Candidates        []Candidate       `json:"candidates"`
	Stages            []Stage           `json:"stages"`
	Reasons           []string          `json:"reasons"`
	Matrix            []Row             `json:"matrix,omitempty"` // with --explain

	total int
}

// Candidate is a node that is left; best first.
type Candidate struct {
	Node     string           `json:"node"`
	Tier     int64            `json:"tier"`
	Score    int64            `json:"score"`
	Terms    map[string]int64 `json:"terms"`
	Affinity Affinity         `json:"affinity"`
}

// Affinity is what a tier was made of; {} when nothing binary is preferred.
type Affinity struct {
	InstanceCount *int     `json:"instanceCount,omitempty"`
	Considered    []string `json:"considered,omitzero"`
}

// Stage is one filter: the nodes left after it, and those it dropped.
type Stage struct {
	Stage     string            `json:"stage"`
	Remaining int               `json:"remaining"`
	Dropped   map[string]string `json:"dropped"`
}

// Row is one node in the matrix of --explain.
type Row struct {
	Node    string            `json:"node"`
	Reasons map[string]string `json:"reasons"` // by stage; empty for a candidate
	Fix     string            `json:"fix,omitempty"`
}

// New makes the report of previews, in their order.
func New(previews []*placement.Preview) *Report {
	report := &Report{Items: make([]Item, 0, len(previews))}
	for _, p := range previews {
		report.Items = append(report.Items, item(p))
	}
	return report
}

// Worst is the verdict that counts: unsatisfiable over no capacity over fits.
func (r *Report) Worst() placement.Verdict {
	worst := placement.Fits
	for i := range r.Items {
		switch r.Items[i].Verdict {
		case placement.Unsatisfiable:
			return placement.Unsatisfiable
		case placement.NoCapacity:
			worst = placement.NoCapacity
		}
	}
	return worst
}

func item(p *placement.Preview) Item {
	i := Item{
		Object: p.Object, Verdict: p.Verdict, Code: p.Verdict.Code(), Transient: p.Transient,
		Winner: p.Winner, Tie: list(p.Tie()), Profile: p.Profile, Priority: p.Priority, Forced: p.Forced,
		Informative: p.Informative, InformativeReason: p.InformativeReason, AffineNode: p.AffineNode, FirstOfGroup: p.FirstOfGroup, Full: p.Full,
		CandidateCount: len(p.Candidates), Unmodelled: list(p.Unmodelled),
		Candidates: make([]Candidate, 0, len(p.Candidates)), Stages: make([]Stage, 0, len(p.Stages)),
		Reasons: list(p.Reasons()), total: p.Total,
	}
	if p.Shortfall != nil {
		i.Shortfall = p.Shortfall.Short()
	}
	for _, c := range p.Candidates {
		i.Candidates = append(i.Candidates, candidate(c))
	}
	for _, s := range p.Stages {
		i.Stages = append(i.Stages, stage(s))
	}
	for _, n := range p.Matrix {
		i.Matrix = append(i.Matrix, row(n))
	}
	return i
}

func candidate(c placement.Candidate) Candidate {
	found := Candidate{Node: c.Node, Tier: c.Tier, Score: c.Score, Terms: map[string]int64{}}
	for _, t := range c.Terms {
		found.Terms[t.Name] = t.Value
	}
	if c.Affinity != nil {
		found.Affinity = Affinity{&c.Affinity.InstanceCount, list(c.Affinity.Considered)}
	}
	return found
}

func stage(s placement.Stage) Stage {
	found := Stage{Stage: s.Name, Remaining: s.Remaining, Dropped: make(map[string]string, len(s.Dropped))}
	for _, d := range s.Dropped {
		found.Dropped[d.Node] = d.Reason.String()
	}
	return found
}

func row(n placement.NodeReport) Row {
	found := Row{Node: n.Node, Reasons: make(map[string]string, len(n.Reasons)), Fix: n.Fix}
	for _, r := range n.Reasons {
		found.Reasons[r.Stage] = r.Reason.String()
	}
	return found
}

// list never gives null: readers of JSON may count on a list.
func list(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}
