package lineage

import (
	"context"
	"errors"
	"slices"
)

// errNothing guards against a Getter that breaks its promise: a release whose
// target is not known must not pass for one that deploys here.
var errNothing = errors.New("the reader returned neither a whole object nor an error")

// read asks the Getter once for each distinct reference. It refuses, without
// reading, a step over the bounds.
func (w *walk) read(ctx context.Context, ref Ref) (read reading, over bool) {
	if len(w.path) > maxHops {
		return reading{}, true
	}
	for _, earlier := range w.reads {
		if earlier.ref == ref {
			return earlier, false
		}
	}
	if len(w.reads) == maxReads {
		return reading{}, true
	}
	object, err := w.get.Get(ctx, ref)
	if err == nil && (object == nil || object.GroupKind == HelmRelease && object.Release == nil) {
		err = errNothing
	}
	read = reading{ref: ref, object: object, err: err}
	w.reads = append(w.reads, read)
	return read, false
}

// chain copies the path: an outcome outlives the walk.
func (w *walk) chain() []Hop { return slices.Clone(w.path) }

func (w *walk) broken(hop Hop, why BrokenWhy) Outcome {
	return Broken{Hop: hop, Chain: w.chain(), Why: why}
}

func (w *walk) unknown(hop Hop, err error) Outcome {
	lasting := errors.Is(err, ErrForbidden) || errors.Is(err, ErrNoKind)
	return Unknown{Hop: hop, Chain: w.chain(), Lasting: lasting, Err: err}
}

// rebase gives an outcome found through another branch the path of this one.
func (w *walk) rebase(seen visited, hop Hop) Outcome {
	move := func(chain []Hop) []Hop {
		moved := append(w.chain(), hop)
		return append(moved, chain[seen.depth+1:]...)
	}
	var longest []Hop
	outcome := seen.outcome
	switch o := outcome.(type) {
	case Resolved:
		o.Chain = move(o.Chain)
		outcome, longest = o, o.Chain
	case Unmanaged:
		o.Chain = move(o.Chain)
		outcome, longest = o, o.Chain
	case Broken:
		o.Chain = move(o.Chain)
		outcome = o
	case Unknown:
		o.Chain = move(o.Chain)
		outcome = o
	case Ambiguous:
		o.Branches = slices.Clone(o.Branches)
		for i := range o.Branches {
			o.Branches[i].Chain = move(o.Branches[i].Chain)
			if len(o.Branches[i].Chain) > len(longest) {
				longest = o.Branches[i].Chain
			}
		}
		outcome = o
	}
	if len(longest) > maxHops+1 {
		return w.broken(hop, BrokenBound)
	}
	return outcome
}
