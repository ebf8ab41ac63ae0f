package judge

import (
	"context"
	"errors"
	"sync"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Once begins reviews that read each object at most once in the life of the program:
// an audit is of one time, and its denials rest on what was read since it began, so a
// second read would only be slower. The server, which remembers from before, reads
// again instead.
func Once(reader *cluster.Reader, listed Listed) review.Begin {
	known := &answers{of: map[lineage.Ref]answer{}}
	return func(namespace string) review.Reads { return once{reader.Begin(namespace), listed, known} }
}

// Listed are owners that were read together.
type Listed interface {
	Owner(ref lineage.Ref) (*lineage.Object, bool)
}

type once struct {
	reads  *cluster.Reads
	listed Listed
	known  *answers
}

func (o once) Live() lineage.Getter { return o }

// Get remembers what memory does not: releases that were not listed, and what is not
// there. What is there is remembered by the reader itself, within its bounds.
func (o once) Get(ctx context.Context, ref lineage.Ref) (*lineage.Object, error) {
	if found, ok := o.listed.Owner(ref); ok {
		return found, nil
	}
	if found, ok := o.known.get(ref); ok {
		return found.object, found.err
	}
	object, err := o.reads.Get(ctx, ref)
	lasting := errors.Is(err, lineage.ErrNotFound) || errors.Is(err, lineage.ErrForbidden) || errors.Is(err, lineage.ErrNoKind)
	if lasting || err == nil && ref.UID == "" {
		o.known.learn(ref, answer{object, err})
	}
	return object, err
}

type answer struct {
	object *lineage.Object
	err    error
}

// answers are bounded: who writes labels could have them grow.
type answers struct {
	mu sync.Mutex
	of map[lineage.Ref]answer
}

const most = 16384 // answers kept

func (a *answers) get(ref lineage.Ref) (answer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, ok := a.of[ref]
	return found, ok
}

func (a *answers) learn(ref lineage.Ref, found answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.of) < most {
		a.of[ref] = found
	}
}
