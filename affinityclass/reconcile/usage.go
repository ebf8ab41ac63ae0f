package reconcile

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/cozystack/affinityclass/affinityclass/v1alpha1"
)

// Usage counts the releases and the tenants of each class, in time that does not
// depend on how many there are. It is safe for concurrent use.
type Usage struct {
	mu       sync.Mutex
	releases referrers
	tenants  referrers
	changed  chan event.TypedGenericEvent[*v1alpha1.AffinityClass]
}

// changesKept is how many changes may wait for an elected replica to read them.
// More are dropped: a replica that is elected looks at every class first.
const changesKept = 1024

// NewUsage makes an empty Usage.
func NewUsage() *Usage {
	return &Usage{
		releases: newReferrers(), tenants: newReferrers(),
		changed: make(chan event.TypedGenericEvent[*v1alpha1.AffinityClass], changesKept),
	}
}

// Set says that the release names the class; an empty class, that it names none
// or is gone.
func (u *Usage) Set(release, class string) {
	var classes []string
	if class != "" {
		classes = []string{class}
	}
	u.set(&u.releases, release, classes)
}

// SetTenant says which classes the tenant refers to, in its list or as its
// default, each as often as it likes; none, that it refers to none or is gone.
func (u *Usage) SetTenant(tenant string, classes []string) {
	named := slices.DeleteFunc(slices.Clone(classes), func(class string) bool { return class == "" })
	slices.Sort(named)
	u.set(&u.tenants, tenant, slices.Compact(named))
}

func (u *Usage) set(r *referrers, name string, classes []string) {
	u.mu.Lock()
	changed := r.set(name, classes)
	u.mu.Unlock()
	for _, class := range changed {
		u.tell(class)
	}
}

// Of counts the releases that name the class, and the tenants that refer to it.
func (u *Usage) Of(class string) (releases, tenants int32) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.releases.count[class], u.tenants.count[class]
}

func (u *Usage) tell(class string) {
	object := &v1alpha1.AffinityClass{ObjectMeta: metav1.ObjectMeta{Name: class}}
	select {
	case u.changed <- event.TypedGenericEvent[*v1alpha1.AffinityClass]{Object: object}:
	default:
	}
}

// referrers are what refers to classes, of one sort.
type referrers struct {
	classes map[string][]string // by referrer, sorted
	count   map[string]int32    // by class
}

func newReferrers() referrers {
	return referrers{classes: map[string][]string{}, count: map[string]int32{}}
}

// set replaces the sorted classes of a referrer and returns those whose count
// changed: first those it no longer refers to.
func (r *referrers) set(name string, classes []string) []string {
	before := r.classes[name]
	gone, come := without(before, classes), without(classes, before)
	for _, class := range gone {
		if r.count[class]--; r.count[class] == 0 {
			delete(r.count, class)
		}
	}
	for _, class := range come {
		r.count[class]++
	}
	r.classes[name] = classes
	if len(classes) == 0 {
		delete(r.classes, name)
	}
	return append(gone, come...)
}

// without are those of a that are not in b, both sorted.
func without(a, b []string) []string {
	var rest []string
	for _, class := range a {
		if _, found := slices.BinarySearch(b, class); !found {
			rest = append(rest, class)
		}
	}
	return rest
}
