package cluster

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// shares keeps each namespace's part of the live reads. A namespace that has
// been quiet for longest is forgotten first, and gets a fresh share.
type shares struct {
	each Share
	mu   sync.Mutex
	kept *lru.Cache[string, *share]
}

// share is the part of one namespace.
type share struct {
	reads     *rate.Limiter
	places    chan struct{}
	refreshes *rate.Limiter
}

func newShares(each Share) *shares {
	each = Share{
		QPS:         cmp.Or(each.QPS, 50),
		Burst:       cmp.Or(each.Burst, 100),
		Concurrency: cmp.Or(each.Concurrency, 8),
		Namespaces:  cmp.Or(each.Namespaces, 4096),

		RefreshEvery: cmp.Or(each.RefreshEvery, 10*time.Second),
		RefreshBurst: cmp.Or(each.RefreshBurst, 3),
	}
	kept, err := lru.New[string, *share](max(1, each.Namespaces))
	if err != nil {
		panic(err) // the size is positive: cannot happen
	}
	return &shares{each: each, kept: kept}
}

func (s *shares) of(namespace string) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept, ok := s.kept.Get(namespace); ok {
		return kept
	}
	made := &share{
		reads:     rate.NewLimiter(rate.Limit(s.each.QPS), s.each.Burst),
		places:    make(chan struct{}, max(1, s.each.Concurrency)),
		refreshes: rate.NewLimiter(rate.Every(s.each.RefreshEvery), s.each.RefreshBurst),
	}
	s.kept.Add(namespace, made)
	return made
}

// enter waits for a turn and a place, at most until ctx ends; at once if the
// turn would come later than that. Leave gives the place back.
func (s *share) enter(ctx context.Context) (leave func(), err error) {
	if err := s.reads.Wait(ctx); err != nil {
		return nil, fmt.Errorf("wait for the namespace's share of reads: %w", err)
	}
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the namespace's reads in flight: %w", context.Cause(ctx))
	}
}
