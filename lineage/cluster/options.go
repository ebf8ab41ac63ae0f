package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/flight"
)

// Options of a Reader. Only Config is needed.
type Options struct {
	// Config of the API server. QPS and burst hold for all reads together and
	// default to 200 and 400.
	Config *rest.Config
	// Releases are looked up first; without it, each release is read live.
	Releases Releases
	// Observer is told of reads, if there is one.
	Observer Observer

	MemoSize int           // owners remembered, 16,384
	MemoAge  time.Duration // how long, 10 min

	Timeout time.Duration // of one live read with all its waiting, 5 s
	Pace    time.Duration // least time between two reads of one object, 50 ms

	MissAge     time.Duration // how long a kind that nobody serves is known, 30 s
	RefreshPace time.Duration // least time between two discoveries, 1 s

	Share Share // of each namespace
}

// Share is what the live reads of one namespace may take.
type Share struct {
	QPS         float64 // reads a second, 50
	Burst       int     // reads at once after a quiet time, 100
	Concurrency int     // reads in flight, 8
	Namespaces  int     // namespaces whose shares are kept, 4,096

	// A namespace may ask afresh for kinds that nobody knows so often. One
	// answer tells all kinds, so an honest namespace needs few.
	RefreshEvery time.Duration // 10 s
	RefreshBurst int           // 3
}

// Releases looks up releases in memory. The object must not change afterwards.
type Releases interface {
	Release(namespace, name string) (*lineage.Object, bool)
}

// Observer counts. It is called from many goroutines and must not block.
type Observer interface {
	// LiveRead is told of each call to the API server. The kind is one that the
	// API server serves, or Discovery, so there are few. The result is one of the
	// Result constants.
	LiveRead(kind schema.GroupKind, result string)
	// Memo is told whether memory (of owners or of releases) served a read.
	Memo(hit bool)
}

// Discovery stands for a refresh of the kinds that the API server serves.
var Discovery = schema.GroupKind{Group: "apidiscovery.k8s.io", Kind: "APIGroupDiscoveryList"}

// Results that an Observer is told.
const (
	ResultFound     = "found"
	ResultNotFound  = "not_found"
	ResultForbidden = "forbidden"
	ResultError     = "error"
)

// Reader reads hops for all reviews. Make one with New.
type Reader struct {
	metadata metadata.Interface
	dynamic  dynamic.Interface
	kinds    *kinds
	shares   *shares
	memo     *memo
	releases Releases
	observer Observer
	flights  *flight.Group[asked, reading]
	ready    *flight.Group[struct{}, struct{}]
}

// New makes a Reader. It makes no call.
func New(options Options) (*Reader, error) {
	if options.Config == nil {
		return nil, errors.New("make a lineage reader: no client configuration")
	}
	config := limited(options.Config)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("make an HTTP client: %w", err)
	}
	r := &Reader{releases: options.Releases, observer: options.Observer, ready: newReadiness()}
	if r.releases == nil {
		r.releases = none{}
	}
	if r.observer == nil {
		r.observer = none{}
	}
	if r.metadata, err = metadata.NewForConfigAndClient(config, client); err != nil {
		return nil, fmt.Errorf("make a metadata client: %w", err)
	}
	if r.dynamic, err = dynamic.NewForConfigAndClient(config, client); err != nil {
		return nil, fmt.Errorf("make a client for releases: %w", err)
	}
	served, err := discovery.NewDiscoveryClientForConfigAndClient(config, client)
	if err != nil {
		return nil, fmt.Errorf("make a discovery client: %w", err)
	}
	options.Timeout = cmp.Or(options.Timeout, 5*time.Second)
	r.shares = newShares(options.Share)
	r.kinds = newKinds(served, r, options)
	r.memo = newMemo(cmp.Or(options.MemoSize, 16384), cmp.Or(options.MemoAge, 10*time.Minute))
	r.flights = flight.New[asked, reading](flight.Options{
		Timeout: options.Timeout, Pace: cmp.Or(options.Pace, 50*time.Millisecond),
	})
	return r, nil
}

// limited puts all clients made from the configuration under one limit.
func limited(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	if config.RateLimiter == nil && config.QPS >= 0 {
		qps, burst := cmp.Or(config.QPS, 200), cmp.Or(config.Burst, 400)
		config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(qps, burst)
	}
	return config
}

// none is the Releases and the Observer of who has none.
type none struct{}

func (none) Release(string, string) (*lineage.Object, bool) { return nil, false }
func (none) LiveRead(schema.GroupKind, string)              {}
func (none) Memo(bool)                                      {}
