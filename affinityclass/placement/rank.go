package placement

import (
	"cmp"
	"slices"
)

// Rank places requests one after another, those of higher priority first and
// equal ones in the order given; each sees those placed before it, and takes its
// share of the quotas after it was placed. The previews come in that order, up to the
// first that Options.Limit cuts short;
// Preview.Index is the request's place in the list given. Nothing running is
// moved, and the snapshot is not changed.
func Rank(s *Snapshot, requests []*Request, options Options) []*Preview {
	return (&view{Snapshot: s}).rank(requests, options)
}

// byPriority is the order in which requests are placed.
func (s *Snapshot) byPriority(requests []*Request) []int {
	order := make([]int, len(requests))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(s.Priority(requests[b]), s.Priority(requests[a]))
	})
	return order
}

func (v *view) rank(requests []*Request, options Options) []*Preview {
	v.limit = options.Limit
	previews := make([]*Preview, 0, len(requests))
	for _, i := range v.byPriority(requests) {
		p := v.preview(requests[i], options)
		p.Index = i
		previews = append(previews, p)
		if p.Cut {
			break
		}
		if p.Winner != "" {
			v.claim(requests[i])
			v.spend(len(requests[i].labels)) // which are written anew for each
			v.add(requests[i], p.Winner)
		}
	}
	return previews
}

// Preview says where one request could land.
func (s *Snapshot) Preview(r *Request, options Options) *Preview {
	return (&view{Snapshot: s, limit: options.Limit}).preview(r, options)
}

// Priority is what a request's priority is worth in this snapshot.
func (s *Snapshot) Priority(r *Request) int64 {
	switch {
	case r.what != nil:
		return *r.what
	case r.kind == machine:
		return r.priority
	default:
		return int64(s.priority(r.pod))
	}
}

// WithPriority is the request as it would be with another priority.
func (r *Request) WithPriority(priority int64) *Request {
	next := *r
	next.what = &priority
	return &next
}

// preview runs the stages, then the quotas, then the scores.
func (v *view) preview(request *Request, options Options) *Preview {
	r := &run{view: v, request: request, options: options, self: v.itself(request), scratch: v.borrow()}
	defer v.giveBack(r.scratch)
	considered := v.staying(r.considered())
	p := &Preview{
		Object: request.object, Profile: options.profile(), Priority: v.Priority(request),
		Forced: options.Nodes != nil, Informative: true,
		Total: len(considered), Unmodelled: r.unmodelled(),
	}
	stages, left := r.sift(considered)
	if r.exhausted() {
		return p.cutShort()
	}
	p.Stages = stages
	if quotas := v.quotasOf(request); len(quotas) > 0 && len(left) > 0 {
		stage := Stage{Name: "quota"}
		left, stage.Dropped = divide(r.quota(quotas), left)
		stage.Remaining = len(left)
		p.Stages = append(p.Stages, stage)
	}
	if options.Explain {
		r.explain(p, considered)
	}
	r.settle(p, considered, left)
	r.inform(p)
	if r.exhausted() {
		return p.cutShort()
	}
	return p
}

// settle comes to the verdict, and to the candidates when there are some.
func (r *run) settle(p *Preview, considered, left []*node) {
	if len(left) == 0 {
		r.counterfactual(p, considered)
		return
	}
	p.Verdict = Fits
	if p.Candidates = r.candidates(left); p.Candidates == nil {
		return // cut short
	}
	p.Tied = tied(p.Candidates)
	p.Winner = p.Candidates[0].Node
}
