package fault_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Reviews that wait for a slow API server take the places; those that find none
// are told so at their deadline, and none is let in for it.
func TestReviewsThatFindNoPlaceAreAnsweredAtTheirDeadline(t *testing.T) {
	f := newFront(t)
	s := replica(t, "places", f.options(t, "--max-concurrent-reviews=2", "--review-deadline=1s"))
	s.survives(t)
	space := governed(t, "places")
	known := newApp(t, space, "known")
	s.remembers(t, known)
	unread := known.under(t, "unread")
	before := s.scrape(t)

	var slow gate
	slow.shut()
	defer slow.open()
	f.do(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/unread") {
			slow.pass()
		}
		return false
	})
	crowd := begin(t, asking(s.URL, unread), asking(s.URL, unread), asking(s.URL, unread), asking(s.URL, unread), asking(s.URL, known))
	crowd.more(t, 5, good, refused(http.StatusServiceUnavailable))
	crowd.more(t, 5, bad, refused(http.StatusServiceUnavailable))
	if n := grew(before, s.scrape(t), `affinity_review_failed_total{why="overload"}`); n == 0 {
		t.Error("no review was counted as one too many")
	}
	slow.open()
	crowd.works(t)
	crowd.stop()
	crowd.holds(t, refused(http.StatusServiceUnavailable))
}

// One namespace's reads wait for an API server that is slow for it alone; those of
// another do not stand behind them.
func TestANamespaceWhoseReadsHangDoesNotHoldUpAnother(t *testing.T) {
	f := newFront(t)
	s := replica(t, "shares", f.options(t))
	s.survives(t)
	loud, quiet := governed(t, "shares-loud"), governed(t, "shares-quiet")
	var slow gate
	slow.shut()
	defer slow.open()
	f.do(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/"+loud+"/replicasets/") {
			slow.pass()
		}
		return false
	})
	noisy := newApp(t, loud, "noisy")
	var makers []maker
	for i := range 20 { // more than the share of eight reads in flight
		makers = append(makers, asking(s.URL, noisy.under(t, fmt.Sprintf("noisy-%d", i))))
	}
	noise := begin(t, makers...)
	noise.more(t, 20, good, refused(http.StatusServiceUnavailable))
	for i := range 5 {
		fresh := newApp(t, quiet, fmt.Sprintf("fresh-%d", i))
		start := time.Now()
		if err := wanted(judged(t, s.URL, fresh.pod(good)), 0, "ContractKept"); err != nil {
			t.Error(err)
		}
		if err := wanted(judged(t, s.URL, fresh.pod(bad)), 403, "requires"); err != nil {
			t.Error(err)
		}
		t.Logf("two reviews beside the noise, all read afresh: %s", time.Since(start).Round(time.Millisecond))
	}
	slow.open()
	noise.works(t)
	noise.stop()
	noise.holds(t, refused(http.StatusServiceUnavailable))
}
