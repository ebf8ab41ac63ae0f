package cluster

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// reading is what one live read gave, and when it began.
type reading struct {
	object *lineage.Object
	err    error
	begun  flight.Ticket
	at     time.Time
}

// memo remembers owners that were found. The key is the reference, so an entry
// serves only children of its namespace that know the uid.
type memo struct {
	age  time.Duration
	kept *lru.Cache[lineage.Ref, reading]
}

// heaviest is how many bytes of labels, annotations and references an owner may
// have to be remembered. Tenants write them, and there may be many owners.
const heaviest = 16 << 10

func newMemo(size int, age time.Duration) *memo {
	kept, err := lru.New[lineage.Ref, reading](max(1, size))
	if err != nil {
		panic(err) // the size is positive: cannot happen
	}
	return &memo{age: age, kept: kept}
}

func (m *memo) get(ref lineage.Ref) (reading, bool) {
	if ref.UID == "" {
		return reading{}, false
	}
	found, ok := m.kept.Get(ref)
	if ok && time.Since(found.at) > m.age {
		m.kept.Remove(ref)
		return reading{}, false
	}
	return found, ok
}

// learn remembers what was read under the uid that it has, whichever was asked
// for. What was asked for and is no more is forgotten.
func (m *memo) learn(ref lineage.Ref, read reading) {
	if read.object == nil {
		return
	}
	ref.UID, ref.Into = read.object.UID, ""
	if ref.UID != "" && weight(read.object) <= heaviest {
		m.kept.Add(ref, read)
	}
}

func (m *memo) forget(ref lineage.Ref) { m.kept.Remove(ref) }

func weight(object *lineage.Object) int {
	bytes := 0
	for key, value := range object.Labels {
		bytes += len(key) + len(value)
	}
	for key, value := range object.Annotations {
		bytes += len(key) + len(value)
	}
	for _, owner := range object.Owners {
		bytes += len(owner.APIVersion) + len(owner.Kind) + len(owner.Name) + len(owner.UID)
	}
	return bytes
}
