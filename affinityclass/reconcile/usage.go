package reconcile

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Usage counts the releases of each class, in time that does not depend on how
// many there are. It is safe for concurrent use.
type Usage struct {
	mu      sync.Mutex
	class   map[string]string // by release
	count   map[string]int32  // by class
	changed chan event.TypedGenericEvent[*v1alpha1.AffinityClass]
}

// changesKept is how many changes may wait for an elected replica to read them.
// More are dropped: a replica that is elected looks at every class first.
const changesKept = 1024

// NewUsage makes an empty Usage.
func NewUsage() *Usage {
	return &Usage{
		class: map[string]string{}, count: map[string]int32{},
		changed: make(chan event.TypedGenericEvent[*v1alpha1.AffinityClass], changesKept),
	}
}

// Set says that the release names the class; an empty class, that it names none
// or is gone.
func (u *Usage) Set(release, class string) {
	u.mu.Lock()
	before := u.class[release]
	if before != class {
		u.add(before, -1)
		u.add(class, 1)
		u.class[release] = class
		if class == "" {
			delete(u.class, release)
		}
	}
	u.mu.Unlock()
	if before != class {
		u.tell(before)
		u.tell(class)
	}
}

func (u *Usage) add(class string, n int32) {
	if class == "" {
		return
	}
	if u.count[class] += n; u.count[class] == 0 {
		delete(u.count, class)
	}
}

// Of counts the releases that name the class.
func (u *Usage) Of(class string) int32 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.count[class]
}

func (u *Usage) tell(class string) {
	if class == "" {
		return
	}
	object := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: class}}
	select {
	case u.changed <- event.TypedGenericEvent[*v1alpha1.AffinityClass]{Object: object}:
	default:
	}
}
