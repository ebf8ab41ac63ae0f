package fault_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// quality is whether a Pod keeps its class.
type quality string

const (
	good quality = "good"
	bad  quality = "bad"
)

// outcome is what became of a Pod: let in, refused by the server with a code, or
// one of these.
type outcome string

const (
	admitted outcome = "admitted"
	uncalled outcome = "uncalled" // refused by the API server, which could not call the webhook
	failed   outcome = "failed"   // the API server's own failure, or no answer from it
	silent   outcome = "silent"   // the server itself gave no answer
)

func refused(code int32) outcome { return outcome(fmt.Sprintf("refused %d", code)) }

type answer struct {
	quality
	outcome
}

// tally counts answers.
type tally struct {
	mu     sync.Mutex
	counts map[answer]int
	first  map[answer]string // what the first of each said
}

func newTally() *tally { return &tally{counts: map[answer]int{}, first: map[answer]string{}} }

func (t *tally) add(a answer, said string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts[a]++; t.counts[a] == 1 {
		t.first[a] = said
	}
}

func (t *tally) of(q quality, o outcome) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[answer{q, o}]
}

func (t *tally) total() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := 0
	for _, n := range t.counts {
		sum += n
	}
	return sum
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var parts []string
	for _, a := range slices.SortedFunc(maps.Keys(t.counts), compareAnswers) {
		parts = append(parts, fmt.Sprintf("%s %s %d", a.quality, a.outcome, t.counts[a]))
	}
	return strings.Join(parts, ", ")
}

func compareAnswers(a, b answer) int {
	return strings.Compare(string(a.quality+" ")+string(a.outcome), string(b.quality+" ")+string(b.outcome))
}

// holds fails where an answer broke what holds under every fault, and where a
// good Pod had an outcome beside those that the fault excuses.
func (t *tally) holds(tb testing.TB, excused ...outcome) {
	tb.Helper()
	tb.Logf("answers: %s", t)
	t.mu.Lock()
	defer t.mu.Unlock()
	for a, n := range t.counts {
		switch {
		case a == answer{bad, admitted}:
			tb.Errorf("%d Pods that break their class were let in", n)
		case a.quality == good && a.outcome != admitted && !slices.Contains(excused, a.outcome):
			tb.Errorf("%d Pods that keep their class were %s; the first: %s", n, a.outcome, t.first[a])
		}
	}
}

// happened fails where the fault left no trace: then nothing was proven.
func (t *tally) happened(tb testing.TB, q quality, o outcome) {
	tb.Helper()
	if t.of(q, o) == 0 {
		tb.Errorf("no %s Pod was %s", q, o)
	}
}
