package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// heap is a Pod under owners that nobody can have: some of a kind that is served,
// some of groups that are not, numbered from a number on.
type heap struct{ owners, groups, from int }

func (h heap) pod(in string) *corev1.Pod {
	refs := make([]metav1.OwnerReference, 0, h.owners+h.groups)
	for i := range h.owners {
		refs = append(refs, owner("apps/v1", "ReplicaSet", fmt.Sprintf("gone-%d", h.from+i), uid(h.from+i)))
	}
	for i := range h.groups {
		refs = append(refs, owner(fmt.Sprintf("g%d.nobody.example.org/v1", h.from+i), "Ghost", "ghost", uid(h.from+i)))
	}
	return podOf(in, "heap", refs...)
}

func uid(number int) types.UID { return types.UID(fmt.Sprintf("gone-%d", number)) }

// heaps never name what an earlier one named: nothing of one helps with the next.
func heaps(t *testing.T, in string) [][]byte {
	t.Helper()
	var bodies [][]byte
	for i := range 50 {
		bodies = append(bodies, reviewOf(t, heap{groups: 300, from: 300 * i}.pod(in)))
		if i%10 == 0 {
			bodies = append(bodies, reviewOf(t, heap{owners: 3000, from: 3000 * i}.pod(in)))
		}
	}
	return bodies
}

func TestAPodWithThousandsOfOwnersCostsFewReads(t *testing.T) {
	space := governed(t, "heaps")
	for _, test := range []struct {
		name string
		heap heap
		code int32
	}{
		{"3,000 owners", heap{owners: 3000}, 409},
		{"300 unknown groups", heap{groups: 300, from: 1 << 20}, 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := openAudit(t)
			if got, no := tried(t, test.heap.pod(space)); !no || got.Code != test.code {
				t.Errorf("answered %+v, wanted code %d", got, test.code)
			}
			reads := log.reads(t)
			t.Logf("%s, two reviews: %d calls, %d of them for %d objects", test.name, total(reads), total(within(reads, space)), len(within(reads, space)))
			if total(reads) > 32 {
				t.Errorf("%d calls, wanted at most 32", total(reads))
			}
		})
	}
	if strings.Contains(scrape(t), "nobody.example.org") {
		t.Error("a group that a tenant made up became a series of the metrics")
	}
}

// What the noise may take is bounded by the namespace's share: 100 reads, then 50
// a second, and three discoveries (of two calls each), then one in ten seconds.
func TestANamespaceThatLoopsOverHeapsDoesNotSlowAnother(t *testing.T) {
	quiet, loud := governed(t, "quiet"), governed(t, "loud")
	reviews := quietReviews(t, quiet)
	noise := heaps(t, loud)
	before := reviews.measure(t)

	log := openAudit(t)
	start := time.Now()
	stop := loop(t, noise)
	during := reviews.measure(t)
	made := stop()
	took := time.Since(start).Seconds()

	reads := log.reads(t)
	discoveries := reads["/apis"]
	t.Logf("%d noisy reviews in %.1f s cost %d reads and %d discoveries", made, took, total(within(reads, loud)), discoveries)
	if got, most := total(within(reads, loud)), 100+50*int(took+1); got > most {
		t.Errorf("%d reads for the noise, wanted at most %d", got, most)
	}
	if most := 4 + int(took/10) + 1; discoveries > most {
		t.Errorf("%d discoveries, wanted at most %d", discoveries, most)
	}
	for _, kind := range []string{"allowed", "denied"} {
		compare(t, kind, before[kind], during[kind])
	}
}

// compare logs how much longer the reviews took, and fails where they starved. The
// floor is what noise may cost in mere computation, on two cores.
func compare(t *testing.T, kind string, before, during []time.Duration) {
	t.Helper()
	for _, at := range []struct {
		name  string
		point int
		floor time.Duration
	}{{"p50", 50, 100 * time.Millisecond}, {"p99", 99, 1500 * time.Millisecond}} {
		a, b := percentile(before, at.point), percentile(during, at.point)
		t.Logf("%s reviews, %s: %s alone, %s beside the noise, ratio %.1f", kind, at.name, a, b, float64(b)/float64(a))
		if b > max(3*a, at.floor) {
			t.Errorf("%s reviews, %s: %s alone, %s beside the noise", kind, at.name, a, b)
		}
	}
}

func percentile(sample []time.Duration, point int) time.Duration {
	slices.Sort(sample)
	return sample[(len(sample)-1)*point/100]
}

// loop sends noise from four senders until it is stopped; stop says how much.
func loop(t *testing.T, bodies [][]byte) (stop func() int) {
	ctx, cancel := context.WithCancel(t.Context())
	var senders sync.WaitGroup
	var made [4]int
	for i := range made {
		senders.Go(func() {
			for ; ctx.Err() == nil; made[i]++ {
				answer, err := ask(world.URL+"/validate-pod", bodies[(made[i]*len(made)+i)%len(bodies)])
				if err != nil || answer.Allowed {
					t.Errorf("the noise was let in, or not answered: %v", err)
					return
				}
			}
		})
	}
	return func() int {
		cancel()
		senders.Wait()
		return made[0] + made[1] + made[2] + made[3]
	}
}
