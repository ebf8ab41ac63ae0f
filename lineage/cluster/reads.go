package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// target names one object. Its namespace is the child's.
type target struct {
	schema.GroupKind
	namespace, name string
}

// asked is a target and the namespace whose review asks. Reviews of two
// namespaces do not share reads: one would wait for the other's share. Nor do
// those who need a live read and those whom memory serves.
type asked struct {
	asker string
	live  bool
	target
}

// Reads are the reads of one review. They may be used by many goroutines.
type Reads struct {
	reader    *Reader
	namespace string
	began     flight.Ticket

	mu    sync.Mutex
	own   map[target]reading // read since the review began
	count int
}

var _ lineage.Getter = (*Reads)(nil)

// Begin starts the reads of a review of an object in the namespace. What Live
// gives is read after this moment.
func (r *Reader) Begin(namespace string) *Reads {
	return &Reads{reader: r, namespace: namespace, began: flight.Now()}
}

// Get gives an object from the watched releases, then from memory, then live.
// The object is shared: nobody may change it.
func (r *Reads) Get(ctx context.Context, ref lineage.Ref) (*lineage.Object, error) {
	if err := refuse(ref); err != nil {
		return nil, err
	}
	if own, ok := r.known(ref); ok {
		return own.object, own.err
	}
	object, hit := r.reader.recall(ref)
	r.reader.observer.Memo(hit)
	if hit {
		return object, nil
	}
	key := asked{asker: r.namespace, target: targetOf(ref)}
	return r.ask(ctx, ref, key, func(ctx context.Context) (reading, error) {
		// A read may have ended between the look into memory and this call.
		if object, hit := r.reader.recall(ref); hit {
			return reading{object: object}, nil
		}
		return r.reader.read(ctx, r.namespace, ref), nil
	})
}

// recall looks in the watched releases and in memory. A release with another
// uid than asked for is read live: the watch may be behind. So is one that counts
// for nothing where it is asked for, as one that does not exist would be.
func (r *Reader) recall(ref lineage.Ref) (*lineage.Object, bool) {
	if ref.GroupKind == lineage.HelmRelease {
		release, ok := r.releases.Release(ref.Namespace, ref.Name)
		return release, ok && (ref.UID == "" || ref.UID == release.UID) && !isForeign(ref, release)
	}
	found, ok := r.memo.get(ref)
	return found.object, ok
}

// Live gives objects as they are since the review began, each read at most
// once for the review.
func (r *Reads) Live() lineage.Getter { return live{r} }

// LiveReads counts the answers of the API server that the review used, its own
// or shared ones. Zero means that memory was enough.
func (r *Reads) LiveReads() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

type live struct{ reads *Reads }

func (l live) Get(ctx context.Context, ref lineage.Ref) (*lineage.Object, error) {
	if err := refuse(ref); err != nil {
		return nil, err
	}
	r := l.reads
	if own, ok := r.known(ref); ok {
		return own.object, own.err
	}
	// Another review may have read it since this one began.
	if fresh, ok := r.reader.memo.get(ref); ok && fresh.begun.After(r.began) {
		r.keep(ref, fresh)
		return fresh.object, nil
	}
	key := asked{asker: r.namespace, live: true, target: targetOf(ref)}
	return r.ask(ctx, ref, key, func(ctx context.Context) (reading, error) {
		return r.reader.read(ctx, r.namespace, ref), nil
	})
}

func (r *Reads) known(ref lineage.Ref) (reading, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	own, ok := r.own[targetOf(ref)]
	return own, ok
}

// keep counts an answer, and keeps it if it is fresh enough for Live.
func (r *Reads) keep(ref lineage.Ref, read reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if read.begun == (flight.Ticket{}) {
		return // memory served it after all
	}
	r.count++
	if !read.begun.After(r.began) {
		return
	}
	if r.own == nil {
		r.own = map[target]reading{}
	}
	r.own[targetOf(ref)] = read
}

// call makes one reading for all who wait for it.
type call = func(context.Context) (reading, error)

// ask reads live, together with whoever else asks for the same.
func (r *Reads) ask(ctx context.Context, ref lineage.Ref, key asked, fn call) (*lineage.Object, error) {
	var since flight.Ticket
	if key.live {
		since = r.began
	}
	read, err := r.reader.flights.Do(ctx, key, since, fn)
	if err != nil {
		return nil, failed(ref, err)
	}
	r.keep(ref, read)
	if errors.Is(read.err, lineage.ErrNotFound) || read.object != nil && read.object.UID != ref.UID {
		r.reader.memo.forget(ref)
	}
	return read.object, read.err
}

// isForeign holds for a release that is in another namespace than it is asked for
// and does not deploy there.
func isForeign(ref lineage.Ref, release *lineage.Object) bool {
	return ref.Into != "" && release.Namespace != ref.Into && !release.DeploysInto(ref.Into)
}

func targetOf(ref lineage.Ref) target {
	return target{GroupKind: ref.GroupKind, namespace: ref.Namespace, name: ref.Name}
}

// failed says what was being read.
func failed(ref lineage.Ref, err error) error {
	if ref.GroupKind == lineage.HelmRelease {
		return fmt.Errorf("read release %s/%s: %w", ref.Namespace, ref.Name, err)
	}
	return fmt.Errorf("read owner %s: %w", ref, err)
}
