package inventory

import (
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// followed is an object that can be compared by its encoding, which is the same for
// equal objects.
type followed interface {
	client.Object
	Marshal() ([]byte, error)
}

// feed is the store behind the reflector of one kind. What it is told goes into the
// snapshot; it remembers names alone, to know what a new list no longer has, and of
// what was told only whether it is told again. One reflector calls it, from one
// goroutine.
type feed[T followed] struct {
	example T
	from    cache.ListerWatcher
	// cut takes from an object what nobody reads.
	cut func(T)
	// counts says whether the snapshot has a place for the object.
	counts func(T) bool
	set    func(T)
	remove func(types.NamespacedName)

	writing *sync.RWMutex // guards the snapshot
	known   map[types.NamespacedName]memory
	seed    maphash.Seed
	synced  atomic.Bool
	heard   atomic.Int64 // when the API server last told something, in nanoseconds; 0 never
}

// memory is who has a name, and a digest of what was last told of it.
type memory struct {
	uid    types.UID
	digest uint64
}

func (f *feed[T]) hasSynced() bool { return f.synced.Load() }

// run follows the kind until ctx ends. What cannot be read now is tried again; the
// reflector logs it.
func (f *feed[T]) run(ctx context.Context, log logr.Logger) {
	cache.NewReflectorWithOptions(f.from, f.example, f, cache.ReflectorOptions{
		Logger: &log, Name: "inventory",
	}).RunWithContext(ctx)
}

// Add records an object, new or changed. One that counts no longer is as good as
// deleted, and a name used again replaces who had it. Most of what changes of an
// object nobody reads: then readers are not held up.
func (f *feed[T]) Add(object any) error {
	typed, err := f.read(object)
	if err != nil {
		return err
	}
	key := keyOf(typed)
	if !f.counts(typed) {
		f.drop(key)
		return nil
	}
	f.cut(typed)
	now, err := f.remember(typed)
	if err != nil {
		return err
	}
	if before, ok := f.known[key]; ok && before == now {
		return nil
	}
	f.known[key] = now
	f.writing.Lock()
	defer f.writing.Unlock()
	f.set(typed)
	return nil
}

// remember digests an object that is cut. Its version says only that it changed.
func (f *feed[T]) remember(object T) (memory, error) {
	version := object.GetResourceVersion()
	object.SetResourceVersion("")
	text, err := object.Marshal()
	object.SetResourceVersion(version)
	if err != nil {
		return memory{}, fmt.Errorf("inventory: encode %T %s: %w", object, keyOf(object), err)
	}
	return memory{object.GetUID(), maphash.Bytes(f.seed, text)}, nil
}

// Update is Add.
func (f *feed[T]) Update(object any) error { return f.Add(object) }

// Delete forgets an object, unless another has taken its name since.
func (f *feed[T]) Delete(object any) error {
	if missed, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = missed.Obj
	}
	typed, err := f.read(object)
	if err != nil {
		return err
	}
	if key := keyOf(typed); f.known[key].uid == typed.GetUID() {
		f.drop(key)
	}
	return nil
}

// Replace takes a whole list: what it does not have is gone, although the watch did
// not say so. Readers may see some of it before the rest, never an object half.
func (f *feed[T]) Replace(objects []any, _ string) error {
	listed := make(map[types.NamespacedName]bool, len(objects))
	for _, object := range objects {
		typed, err := f.read(object)
		if err != nil {
			return err
		}
		listed[keyOf(typed)] = true
	}
	for key := range f.known {
		if !listed[key] {
			f.drop(key)
		}
	}
	for _, object := range objects {
		if err := f.Add(object); err != nil {
			return err
		}
	}
	f.hear()
	f.synced.Store(true)
	return nil
}

// Resync does nothing: the snapshot has no handlers to tell again.
func (f *feed[T]) Resync() error { return nil }

// Transformer cuts objects while a streamed list is not complete yet.
func (f *feed[T]) Transformer() cache.TransformFunc {
	return func(object any) (any, error) {
		if typed, ok := object.(T); ok {
			f.cut(typed)
		}
		return object, nil
	}
}

func (f *feed[T]) drop(key types.NamespacedName) {
	if _, ok := f.known[key]; !ok {
		return
	}
	delete(f.known, key)
	f.writing.Lock()
	defer f.writing.Unlock()
	f.remove(key)
}

func (f *feed[T]) read(object any) (T, error) {
	typed, ok := object.(T)
	if !ok {
		return typed, fmt.Errorf("inventory: a %T among objects of type %T", object, f.example)
	}
	return typed, nil
}

func keyOf(object client.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
