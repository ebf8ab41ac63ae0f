package flight

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Ticket is a moment. The zero Ticket lies before every call.
type Ticket struct{ at time.Time }

// Now is the present moment.
func Now() Ticket { return Ticket{at: time.Now()} }

// After reports whether t is strictly later than other. Equal moments of a
// coarse clock count as not later: that can only cost a call.
func (t Ticket) After(other Ticket) bool { return t.at.After(other.at) }

// Options of a Group. Zero values are useful.
type Options struct {
	// Timeout ends a call; zero means 5 s. It is the call's own: callers that
	// give up do not end it.
	Timeout time.Duration
	// Pace is the least time between the beginnings of two calls of one key. A
	// crowd of callers that arrive one after another then shares a call each
	// pace, not each round trip; the first of a crowd does not wait.
	Pace time.Duration
	// PaceFactor makes the pace that many times what the last call took, where that is
	// more: with 4, calls of a key run a quarter of the time at most.
	PaceFactor int
}

// Group shares calls by key. Make one with New.
type Group[K comparable, V any] struct {
	timeout, pace time.Duration
	factor        int

	mu    sync.Mutex
	lines map[K]*line[V]
}

// line is what goes on for one key: the last call, running or ended within the
// pace, and the call whose turn comes next, nil if nobody waits for one.
type line[V any] struct{ last, next *call[V] }

type call[V any] struct {
	ctx     context.Context
	run     func(context.Context) (V, error)
	begun   Ticket
	waiting int
	done    chan struct{} // closed when value and err are set
	ended   bool
	value   V
	err     error
}

// New makes a Group.
func New[K comparable, V any](options Options) *Group[K, V] {
	if options.Timeout == 0 {
		options.Timeout = 5 * time.Second
	}
	return &Group[K, V]{timeout: options.Timeout, pace: options.Pace, factor: options.PaceFactor, lines: map[K]*line[V]{}}
}

// Do gives the answer of a call of the key that began after since; with the
// zero Ticket, of one that is running now. Where there is none, it waits for the
// next one, which runs fn of the first caller to ask for it, with the values of
// that caller's ctx but not its end.
//
// A caller whose ctx ends is given its error at once.
func (g *Group[K, V]) Do(ctx context.Context, key K, since Ticket, fn func(context.Context) (V, error)) (V, error) {
	c := g.join(ctx, key, since, fn)
	select {
	case <-c.done:
	case <-ctx.Done():
		if !g.leave(c) {
			var none V
			return none, context.Cause(ctx)
		}
	}
	return c.value, c.err
}

func (g *Group[K, V]) join(ctx context.Context, key K, since Ticket, fn func(context.Context) (V, error)) *call[V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lines[key]
	switch {
	case l == nil:
		l = &line[V]{last: newCall(ctx, fn)}
		g.lines[key] = l
		g.begin(key, l.last)
		return l.last
	case l.last.suits(since):
		l.last.waiting++
		return l.last
	case l.next == nil:
		l.next = newCall(ctx, fn)
		return l.next
	}
	l.next.waiting++
	return l.next
}

func newCall[V any](ctx context.Context, fn func(context.Context) (V, error)) *call[V] {
	return &call[V]{ctx: context.WithoutCancel(ctx), run: fn, waiting: 1, done: make(chan struct{})}
}

// suits keeps an ended call from those who name no moment: for them it would be
// a memory, and failures are never remembered.
func (c *call[V]) suits(since Ticket) bool {
	if since == (Ticket{}) {
		return !c.ended
	}
	return c.begun.After(since)
}

// leave counts a caller out. It reports whether the answer came all the same.
func (g *Group[K, V]) leave(c *call[V]) (answered bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.waiting--
	return c.ended
}

// begin starts a call. The lock is held: nobody may join between its moment and
// its start.
func (g *Group[K, V]) begin(key K, c *call[V]) {
	c.begun = Now()
	go g.fly(key, c)
}

func (g *Group[K, V]) fly(key K, c *call[V]) {
	ctx, cancel := context.WithTimeout(c.ctx, g.timeout)
	value, err := guard(ctx, c.run)
	cancel()

	g.mu.Lock()
	c.value, c.err, c.ended = value, err, true
	close(c.done)
	g.mu.Unlock()

	took := time.Since(c.begun.at)
	if rest := max(g.pace, time.Duration(g.factor)*took) - took; rest > 0 {
		time.AfterFunc(rest, func() { g.turn(key) })
		return
	}
	g.turn(key)
}

// turn begins the next call, unless all who waited for it have left.
func (g *Group[K, V]) turn(key K) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lines[key]
	if l.next == nil || l.next.waiting == 0 {
		delete(g.lines, key)
		return
	}
	l.last, l.next = l.next, nil
	g.begin(key, l.last)
}

// guard turns a panic into an error: it happens in a goroutine of ours, where
// no server's recovery would catch it.
func guard[V any](ctx context.Context, run func(context.Context) (V, error)) (value V, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("shared call panicked: %v\n%s", cause, debug.Stack())
		}
	}()
	return run(ctx)
}
