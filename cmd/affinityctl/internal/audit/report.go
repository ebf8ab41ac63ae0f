// Package audit judges the Pods that run in a cluster as if each were created now, and
// finds those that stand on a node outside their class. It is the list to read before
// a namespace, or a class, is made to deny.
//
// It decides nothing: verdicts are webhook/review's. It keeps of a Pod no more than
// what is wrong with it.
package audit

import (
	"cmp"
	"slices"

	"github.com/cozystack/affinityclass/affinityclass"
	"github.com/cozystack/affinityclass/affinityclass/policy"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Report is the answer, with its JSON.
type Report struct {
	Summary   Summary   `json:"summary"`
	Namespace string    `json:"namespace,omitempty"` // the one that was read; empty for all
	Releases  []Release `json:"releases"`            // with something wrong; sorted by namespace and name
	Notes     []string  `json:"notes,omitempty"`
}

// Summary counts Pods.
type Summary struct {
	Pods        int `json:"pods"`
	Allowed     int `json:"allowed"`
	Denied      int `json:"denied"`
	Warned      int `json:"warned"`
	NotGoverned int `json:"notGoverned"`
	Unknown     int `json:"unknown"`
	Outside     int `json:"outside"` // on a node outside their class, whatever the verdict
}

// Release is a release and what is wrong with its Pods; without a name, the Pods of a
// namespace that lead to none.
type Release struct {
	Namespace string      `json:"namespace"` // of the Pods
	Release   string      `json:"release"`   // namespace/name
	Class     string      `json:"class"`
	Mode      policy.Mode `json:"mode"` // of the namespace now; empty when it does not opt in
	Pods      int         `json:"pods"`
	Findings  []Finding   `json:"findings"`
}

// Finding is one Pod, and what is wrong with it.
type Finding struct {
	Pod        string                    `json:"pod"`
	Node       string                    `json:"node"` // empty for one without
	Verdict    review.Kind               `json:"verdict"`
	Reason     review.Reason             `json:"reason"`
	Code       int32                     `json:"code"`
	Outside    bool                      `json:"outside"`
	Message    string                    `json:"message"`
	Violations []affinityclass.Violation `json:"violations"`
}

func (s *Summary) count(v review.Kind, outside bool) {
	s.Pods++
	switch v {
	case review.Allowed:
		s.Allowed++
	case review.Denied:
		s.Denied++
	case review.Warned:
		s.Warned++
	case review.NotGoverned:
		s.NotGoverned++
	case review.Unknown:
		s.Unknown++
	}
	if outside {
		s.Outside++
	}
}

// Report gives what was found so far, in order.
func (a *Audit) Report() *Report {
	r := &Report{Summary: a.summary, Releases: []Release{}, Notes: a.notes}
	for _, group := range a.groups {
		if len(group.Findings) == 0 {
			continue
		}
		slices.SortFunc(group.Findings, func(a, b Finding) int { return cmp.Compare(a.Pod, b.Pod) })
		r.Releases = append(r.Releases, *group)
	}
	slices.SortFunc(r.Releases, func(a, b Release) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Release, b.Release), cmp.Compare(a.Class, b.Class))
	})
	return r
}
