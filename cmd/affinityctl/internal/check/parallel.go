package check

import (
	"context"
	"runtime"
	"sync"
)

// share is how many items are judged in one go: a verdict takes microseconds.
const share = 64

// parallel judges items on all processors, and gives the results in their order.
// Of several errors it gives that of the first item.
func parallel(ctx context.Context, items []Item, judge func(context.Context, *Item) ([]Result, error)) ([]Result, error) {
	type answer struct {
		results []Result
		err     error
	}
	answers := make([]answer, (len(items)+share-1)/share)
	next := make(chan int)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for n := range next {
				for i := n * share; i < min((n+1)*share, len(items)) && answers[n].err == nil; i++ {
					found, err := judge(ctx, &items[i])
					answers[n].results, answers[n].err = append(answers[n].results, found...), err
				}
			}
		})
	}
	for n := range answers {
		next <- n
	}
	close(next)
	group.Wait()
	var results []Result
	for _, a := range answers {
		if a.err != nil {
			return nil, a.err
		}
		results = append(results, a.results...)
	}
	return results, ctx.Err()
}
