package review

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// Draft is an object that somebody only tries: a Pod, or a workload with a template.
type Draft struct {
	Namespace string // the request's
	Object    []byte // JSON
	// All says that who tries it may list nodes and Pods of the whole cluster. Others
	// are told numbers alone, and none that rests on what other namespaces' Pods are
	// labelled or refuse: names, taints, loads and terms are other people's.
	All bool
}

// previewWarnings bounds what one preview says. The others bound what it costs: so many
// times is a node judged, so many Pods are made, and of so many bytes together, whatever
// number is asked for; so many steps does placement take while changes wait, some
// hundred milliseconds; and so many previews are made at a time.
const (
	previewWarnings = 4
	judgedNodes     = 100_000
	previewedPods   = 100
	previewedBytes  = 4 << 20
	previewSteps    = 3_000_000
	previewsAtWork  = 2
)

// Preview says, in warnings, where the Pods of a draft could land now. It rests on what
// watches last told, changes no verdict and is for people alone.
func (r *Reviewer) Preview(draft *Draft) []string {
	if r.options.State == nil {
		return nil
	}
	told := r.tell(draft)
	warnings := make([]string, 0, len(told))
	for _, text := range told[:min(len(told), previewWarnings)] {
		warnings = append(warnings, clip(printable("preview: "+text)))
	}
	return warnings
}

// tell makes a preview when not too many are being made. The draft is read before the
// snapshot is held, for a draft may be large and changes wait meanwhile.
func (r *Reviewer) tell(draft *Draft) []string {
	select {
	case r.previews <- struct{}{}:
		defer func() { <-r.previews }()
	default:
		return []string{"not to be had now: too many are being made; try again"}
	}
	tried, err := readDraft(draft)
	if err != nil {
		return []string{"not to be had: " + err.Error()}
	}
	if len(tried.requests) == 0 {
		return nil // it runs no Pods
	}
	if !draft.All && tried.requests[0].Crosses() {
		return []string{"not previewed: it asks about Pods of other namespaces, which you may not list"}
	}
	var told []string
	if !r.options.State.Read(func(s *placement.Snapshot) { told = tried.preview(s, draft) }) {
		return []string{"not to be had yet: nodes and Pods have not been read completely"}
	}
	return r.dated(told)
}

// dated says beside a preview when it rests on what was long ago. It is second, so that
// no bound cuts it off.
func (r *Reviewer) dated(told []string) []string {
	if r.options.StateAge == nil {
		return told
	}
	age := r.options.StateAge()
	if age < oldState {
		return told
	}
	return slices.Insert(told, min(1, len(told)), fmt.Sprintf("as of %d minutes ago: nothing was heard of nodes, Pods or namespaces since", int(age.Minutes())))
}

// oldState is when a preview says how old it is: a watch that is healthy is heard of
// every ten minutes at the least.
const oldState = 15 * time.Minute

func (t *tried) preview(s *placement.Snapshot, draft *Draft) []string {
	t.bound(s.Nodes())
	options := placement.Options{Limit: previewSteps}
	if !draft.All {
		options.Heard = draft.Namespace
	}
	previews := placement.Rank(s, t.requests, options)
	if last := len(previews) - 1; previews[last].Cut {
		previews = previews[:last]
		t.requests = t.requests[:last]
	}
	if len(previews) == 0 {
		return []string{"cut short: of what it asks, on so many nodes and Pods, there is too much to look at"}
	}
	if !draft.All {
		return []string{t.counts(previews)}
	}
	return t.whole(previews)
}

// counts is what anybody is told.
func (t *tried) counts(previews []*placement.Preview) string {
	first := previews[0]
	text := fmt.Sprintf("%d of %d nodes", len(first.Candidates), first.Total)
	if t.every {
		return text + " would run its Pod"
	}
	if t.count > 1 {
		text += fmt.Sprintf(" for the first Pod; %d of %s would find a node", placedOf(previews), t.pods())
	}
	return text + notJudged(first)
}

// whole is what is told to those who may see it all themselves.
func (t *tried) whole(previews []*placement.Preview) []string {
	first := previews[0]
	texts := []string{t.counts(previews) + t.choice(first)}
	if len(previews) > 1 && placedOf(previews) > 0 {
		texts = append(texts, "Pods by node: "+byNode(previews))
	}
	failed := lacking(previews)
	if failed == nil {
		return append(texts, dropped(first)...)
	}
	if len(previews) > 1 {
		texts = append(texts, fmt.Sprintf("Pod %d of %s: 0 of %d nodes%s", failed.Index+1, t.pods(), failed.Total, why(failed)))
	}
	return append(texts, dropped(failed)...)
}

// choice is who would win, or why nobody can.
func (t *tried) choice(p *placement.Preview) string {
	var text strings.Builder
	switch {
	case len(p.Candidates) == 0:
		text.WriteString(why(p))
	case t.every:
	default:
		text.WriteString("; " + standing(p, 0))
		if len(p.Candidates) > 1 {
			text.WriteString(", then " + standing(p, 1))
		}
		if p.Tied > 1 {
			fmt.Fprintf(&text, ", %d alike", p.Tied)
		}
		fmt.Fprintf(&text, " by %s (kube-scheduler may rank otherwise)", p.Profile)
	}
	if t.forced {
		text.WriteString("; forced by spec.nodeName")
	}
	if !p.Informative && len(p.Candidates) > 0 {
		text.WriteString("; preferences not informative: " + p.InformativeReason)
		if p.AffineNode != "" {
			text.WriteString(" (" + p.AffineNode + ")")
		}
	}
	return text.String()
}

// standing is a candidate with its score, and its tier where a binary value makes one.
func standing(p *placement.Preview, i int) string {
	c := p.Candidates[i]
	if c.Affinity != nil {
		return fmt.Sprintf("%s (tier %+d, score %d)", c.Node, c.Tier, c.Score)
	}
	return fmt.Sprintf("%s (score %d)", c.Node, c.Score)
}

// why is what a Pod without candidates comes to.
func why(p *placement.Preview) string {
	text := ": " + string(p.Verdict)
	if p.Shortfall != nil {
		text += ", " + p.Shortfall.Short() + " short"
	}
	if p.Full != "" {
		text += ", " + p.Full
	}
	if len(p.FirstOfGroup) > 0 {
		text += ", the first of a group that asks for its own tag " + strings.Join(p.FirstOfGroup, ", ")
	}
	return text
}
