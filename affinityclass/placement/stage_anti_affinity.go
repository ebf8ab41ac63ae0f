package placement

// podAntiAffinity: a neighbour in the node's domain that one of the request's
// required terms matches, or whose own required terms match the request.
func podAntiAffinity(r *run, _ []*node) judge {
	own := r.repelled()
	theirs := r.refusals()
	if len(own)+len(theirs) == 0 {
		return nil
	}
	r.toll += 2 * (len(own) + len(theirs)) // and once more for the one step that would help
	for _, t := range r.request.avoid {
		r.toll += t.textSteps()
	}
	return func(n *node) *Reason {
		for i, f := range own {
			if p := f.in(n); p != nil {
				return blocked(refusedBy(r.request.avoid[i], p), n, p, own, theirs)
			}
		}
		return refuses(own, theirs, n)
	}
}

// blocked adds the one step that would help, when p alone stands in the way.
func blocked(reason *Reason, n *node, p *placed, own []*firsts, theirs []refusal) *Reason {
	for _, f := range own {
		if !f.only(n, p) {
			return reason
		}
	}
	for _, refusal := range theirs {
		if !refusal.by.only(n, p) {
			return reason
		}
	}
	reason.Fix = "move " + reason.Blocking.String() + " away"
	return reason
}

// theirsPrefix begins the rule of a reason whose term a placed Pod bears.
const theirsPrefix = "refused by the anti-affinity of a Pod there: "

// refusal is a term of placed Pods that speaks of the request, and by domain who
// bears it.
type refusal struct {
	term *term
	rule string
	by   *firsts
}

func (r *run) refusals() []refusal {
	found := map[*term]*firsts{}
	r.repellers(func(p *placed, t *term) {
		f, ok := found[t]
		if !ok {
			f = r.firsts(t.key)
			found[t] = f
		}
		f.note(p)
	})
	var all []refusal
	for t, f := range found {
		all = append(all, refusal{t, theirsPrefix + t.text, f})
	}
	return all
}

// repelled is, for each own required anti-affinity term, who stands in the way.
func (r *run) repelled() []*firsts {
	var own []*firsts
	for _, t := range r.request.avoid {
		if r.exhausted() {
			return nil
		}
		f := r.firsts(t.key)
		r.each(t, f.note)
		own = append(own, f)
	}
	return own
}

// refuses is the reason of the first placed Pod, by name and then by term, that
// does not want the request in the node's domain.
func refuses(own []*firsts, theirs []refusal, n *node) *Reason {
	var by *placed
	var why *refusal
	for i := range theirs {
		p, t := theirs[i].by.in(n), &theirs[i]
		if p != nil && (by == nil || p.less(by) || p == by && t.term.text < why.term.text) {
			by, why = p, t
		}
	}
	if by == nil {
		return nil
	}
	reason := &Reason{
		Rule: why.rule, Term: why.term.text, Blocking: by.key(),
	}
	return blocked(reason, n, by, own, theirs)
}

func refusedBy(t *term, p *placed) *Reason {
	return &Reason{
		Rule: "pod anti-affinity " + t.text + " not satisfied", Term: t.text, Blocking: p.key(),
	}
}
