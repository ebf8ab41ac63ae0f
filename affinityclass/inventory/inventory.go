package inventory

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// Extent is how much of the cluster is kept.
type Extent string

const (
	// TagsOnly keeps the nodes and the placed Pods that bear a tag: what a
	// constraint on tags reads.
	TagsOnly Extent = "TagsOnly"
	// Previews keeps the nodes, all placed Pods and the labels of namespaces: what
	// a preview of a Pod reads.
	Previews Extent = "Previews"
)

// Inventory is what is placed where. Make one with New, and Start it.
type Inventory struct {
	log   logr.Logger
	feeds []source

	mu       sync.RWMutex
	snapshot *placement.Snapshot

	reader  client.Reader // uncached
	nodes   *flight.Group[struct{}, []*corev1.Node]
	bearers *flight.Group[question, []*corev1.Pod]
	live    *flight.Group[question, *placement.Snapshot]
}

// source is one kind that is followed.
type source interface {
	run(ctx context.Context, log logr.Logger)
	hasSynced() bool
	lastHeard() time.Time
}

// A burst of Pods that are about to be refused shares one list each pace; the first
// does not wait. However often refused Pods are tried again, and however large the
// cluster, a list of the same runs a quarter of the time at most. A review that would
// have to wait past its deadline cannot tell.
const (
	livePace       = 100 * time.Millisecond
	livePaceFactor = 4
)

// New makes an Inventory that follows the cluster through watcher and reads it live
// through reader, which must not be cached.
func New(watcher client.WithWatch, reader client.Reader, extent Extent, log logr.Logger) *Inventory {
	pace := flight.Options{Pace: livePace, PaceFactor: livePaceFactor}
	i := &Inventory{
		log: log, reader: reader, snapshot: placement.NewSnapshot(),
		nodes:   flight.New[struct{}, []*corev1.Node](pace),
		bearers: flight.New[question, []*corev1.Pod](pace),
		live:    flight.New[question, *placement.Snapshot](flight.Options{}), // what it waits for is paced
	}
	i.feeds = []source{i.followNodes(watcher), i.followPods(watcher, extent)}
	if extent == Previews {
		i.feeds = append(i.feeds, i.followNamespaces(watcher))
	}
	return i
}

// NeedLeaderElection says that every replica keeps its own inventory.
func (i *Inventory) NeedLeaderElection() bool { return false }

// Start follows the cluster until ctx ends.
func (i *Inventory) Start(ctx context.Context) error {
	var wait sync.WaitGroup
	for _, f := range i.feeds {
		wait.Go(func() { f.run(ctx, i.log) })
	}
	wait.Wait()
	return nil
}

// HasSynced says whether the snapshot was filled completely once.
func (i *Inventory) HasSynced() bool {
	for _, f := range i.feeds {
		if !f.hasSynced() {
			return false
		}
	}
	return true
}

// Read calls f with the snapshot as the watches last told it, and holds changes back
// meanwhile. It reports false, without a call, while the snapshot is not complete. f
// must not keep the snapshot, nor Read again.
func (i *Inventory) Read(f func(*placement.Snapshot)) bool {
	if !i.HasSynced() {
		return false
	}
	i.mu.RLock()
	defer i.mu.RUnlock()
	f(i.snapshot)
	return true
}
