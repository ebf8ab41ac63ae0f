package flight_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cozystack/affinityclass/lineage/flight"
)

// counter is a call that takes a time and answers with its number.
type counter struct {
	calls atomic.Int64
	takes time.Duration
}

func (c *counter) run(ctx context.Context) (int64, error) {
	number := c.calls.Add(1)
	select {
	case <-time.After(c.takes):
		return number, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func TestACrowdSharesOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[string, int64](flight.Options{}), &counter{takes: time.Second}
		var crowd sync.WaitGroup
		for range 500 {
			crowd.Go(func() {
				if number, err := group.Do(t.Context(), "k", flight.Ticket{}, calls.run); number != 1 || err != nil {
					t.Errorf("got %d, %v", number, err)
				}
			})
		}
		crowd.Wait()
		if calls.calls.Load() != 1 {
			t.Errorf("%d calls", calls.calls.Load())
		}
	})
}

func TestNobodyIsGivenACallThatBeganBeforeHisMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[string, int64](flight.Options{}), &counter{takes: time.Second}
		var crowd sync.WaitGroup
		ask := func(since flight.Ticket, want int64) {
			crowd.Go(func() {
				if number, err := group.Do(t.Context(), "k", since, calls.run); number != want || err != nil {
					t.Errorf("got call %d, %v, wanted call %d", number, err, want)
				}
			})
		}
		early := flight.Now()
		time.Sleep(time.Millisecond)
		ask(flight.Now(), 1) // a moment that equals the call's: only its starter may have it
		synctest.Wait()
		ask(early, 1)
		ask(flight.Now(), 2)
		time.Sleep(time.Millisecond)
		for range 100 {
			ask(flight.Now(), 2)
		}
		ask(flight.Ticket{}, 1)
		crowd.Wait()
		if calls.calls.Load() != 2 {
			t.Errorf("%d calls, wanted 2", calls.calls.Load())
		}
	})
}

func TestKeysDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[int, int64](flight.Options{Pace: time.Minute}), &counter{takes: time.Second}
		began := time.Now()
		var crowd sync.WaitGroup
		for key := range 50 {
			crowd.Go(func() {
				if _, err := group.Do(t.Context(), key, flight.Now(), calls.run); err != nil {
					t.Error(err)
				}
			})
		}
		crowd.Wait()
		if took := time.Since(began); took != time.Second || calls.calls.Load() != 50 {
			t.Errorf("%d calls took %s", calls.calls.Load(), took)
		}
	})
}

func TestACallerGivesUpAloneAndTheCallGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[string, int64](flight.Options{}), &counter{takes: time.Second}
		first, cancel := context.WithCancelCause(t.Context())
		reason := errors.New("the review is over")
		var crowd sync.WaitGroup
		crowd.Go(func() {
			if _, err := group.Do(first, "k", flight.Ticket{}, calls.run); !errors.Is(err, reason) {
				t.Errorf("the first caller got %v", err)
			}
		})
		synctest.Wait()
		crowd.Go(func() {
			if number, err := group.Do(t.Context(), "k", flight.Ticket{}, calls.run); number != 1 || err != nil {
				t.Errorf("the second caller got %d, %v", number, err)
			}
		})
		synctest.Wait()
		cancel(reason)
		crowd.Wait()
	})
}

func TestACallEndsAtItsOwnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[string, int64](flight.Options{Timeout: time.Second}), &counter{takes: time.Hour}
		_, err := group.Do(t.Context(), "k", flight.Ticket{}, calls.run)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestACallThatEverybodyLeftIsNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[string, int64](flight.Options{}), &counter{takes: time.Second}
		var crowd sync.WaitGroup
		crowd.Go(func() { _, _ = group.Do(t.Context(), "k", flight.Ticket{}, calls.run) })
		synctest.Wait()
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := group.Do(short, "k", flight.Now(), calls.run); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		crowd.Wait()
		time.Sleep(time.Hour)
		if calls.calls.Load() != 1 {
			t.Errorf("%d calls, wanted 1", calls.calls.Load())
		}
	})
}

func TestACrowdThatTricklesInSharesACallEachPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[string, int64](flight.Options{Pace: 100 * time.Millisecond}), &counter{takes: time.Millisecond}
		var crowd sync.WaitGroup
		for range 500 {
			crowd.Go(func() {
				since := flight.Now()
				if _, err := group.Do(t.Context(), "k", since, calls.run); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(2 * time.Millisecond)
		}
		crowd.Wait()
		if got := calls.calls.Load(); got < 10 || got > 12 {
			t.Errorf("%d calls in a second, wanted about 10", got)
		}
	})
}

func TestTheLongerACallTakesTheLongerTheNextOneWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := flight.New[string, int64](flight.Options{Pace: 100 * time.Millisecond, PaceFactor: 4})
		calls := &counter{takes: 10 * time.Millisecond}
		for _, step := range []struct {
			who         string
			takes, want time.Duration
		}{
			{"the first caller does not wait", 10 * time.Millisecond, 10 * time.Millisecond},
			{"after a short call the pace counts", time.Second, 90*time.Millisecond + time.Second},
			{"after a long call the factor does", time.Second, 3*time.Second + time.Second},
		} {
			calls.takes = step.takes
			began := time.Now()
			if _, err := group.Do(t.Context(), "k", flight.Now(), calls.run); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took != step.want {
				t.Errorf("%s: it took %s, want %s", step.who, took, step.want)
			}
		}
	})
}

func TestWithinThePaceAnEndedCallServesOnlyThoseWhoCameBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, calls := flight.New[string, int64](flight.Options{Pace: time.Second}), &counter{takes: time.Millisecond}
		before := flight.Now()
		time.Sleep(time.Millisecond)
		for _, step := range []struct {
			who   string
			since flight.Ticket
			want  int64
		}{
			{"the first caller", flight.Now(), 1},
			{"one who came before the call", before, 1},
			{"one who names no moment", flight.Ticket{}, 2},
		} {
			if number, err := group.Do(t.Context(), "k", step.since, calls.run); number != step.want || err != nil {
				t.Errorf("%s got call %d, %v, wanted call %d", step.who, number, err, step.want)
			}
		}
	})
}

func TestAPanicIsTheCallersErrorAndTheKeyStaysUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := flight.New[string, int64](flight.Options{})
		_, err := group.Do(t.Context(), "k", flight.Ticket{}, func(context.Context) (int64, error) { panic("oh") })
		if err == nil || !strings.Contains(err.Error(), "oh") {
			t.Errorf("got %v", err)
		}
		number, err := group.Do(t.Context(), "k", flight.Now(), (&counter{}).run)
		if number != 1 || err != nil {
			t.Errorf("got %d, %v", number, err)
		}
	})
}

type word struct{}

func TestACallSeesTheValuesOfTheCallerThatBroughtIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group := flight.New[string, any](flight.Options{})
		ctx := context.WithValue(t.Context(), word{}, "trace")
		got, err := group.Do(ctx, "k", flight.Ticket{}, func(ctx context.Context) (any, error) { return ctx.Value(word{}), nil })
		if got != "trace" || err != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
}
