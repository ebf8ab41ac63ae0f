package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/cozystack/affinityclass/lineage"
	"github.com/cozystack/affinityclass/lineage/cluster"
	"github.com/cozystack/affinityclass/lineage/fixture"
)

func configMap(namespace string, number int) lineage.Ref {
	kind := schema.GroupKind{Kind: "ConfigMap"}
	return lineage.Ref{GroupKind: kind, Namespace: namespace, Name: fmt.Sprintf("c%d", number), UID: "u"}
}

func TestReadsInFlightOfOneNamespaceDoNotHoldUpAnother(t *testing.T) {
	world := fixture.Chain("Pod quiet/p < ConfigMap c")
	server := serve(t, world)
	held, arrived := make(chan struct{}), make(chan struct{}, 100)
	server.gate = func(path string) {
		if strings.Contains(path, "/namespaces/loud/") {
			arrived <- struct{}{}
			<-held
		}
	}
	reader := newReader(t, server, cluster.Options{Timeout: time.Minute, Share: cluster.Share{Concurrency: 4}})
	short, cancel := context.WithCancel(t.Context())
	var loud sync.WaitGroup
	for i := range 50 {
		loud.Go(func() {
			if _, err := reader.Begin("loud").Get(short, configMap("loud", i)); !isPlain(err) {
				t.Errorf("a read that had to wait: %v", err)
			}
		})
	}
	for range 4 {
		<-arrived
	}
	resolved := make(chan error)
	go func() {
		_, err := reader.Begin("quiet").Get(t.Context(), refOf(world.Find("ConfigMap", "c")))
		resolved <- err
	}()
	if err := <-resolved; err != nil {
		t.Error(err)
	}
	if len(arrived) != 0 {
		t.Errorf("%d more reads in flight than the namespace's four", len(arrived))
	}
	cancel()
	loud.Wait()
	close(held)
}

func TestANamespaceThatUsedUpItsReadsCannotTellNow(t *testing.T) {
	server := serve(t)
	reader := newReader(t, server, cluster.Options{
		Timeout: time.Second, Share: cluster.Share{QPS: 0.001, Burst: 5},
	})
	for i := range 5 {
		_, err := reader.Begin("loud").Get(t.Context(), configMap("loud", i))
		if isPlain(err) {
			t.Fatalf("read %d: %v", i, err)
		}
	}
	if _, err := reader.Begin("loud").Get(t.Context(), configMap("loud", 5)); !isPlain(err) {
		t.Errorf("got %v", err)
	}
	if _, err := reader.Begin("quiet").Get(t.Context(), configMap("quiet", 0)); isPlain(err) {
		t.Errorf("another namespace: %v", err)
	}
	if server.reads() != 6 {
		t.Errorf("%d reads, wanted 6", server.reads())
	}
}

// A namespace asks in a loop for what is not there, with as many reviews at
// once as it likes. Another's cold reads must take about as long as without it.
func TestTheNoiseOfOneNamespaceLeavesAnothersLatency(t *testing.T) {
	server := serve(t)
	server.gate = func(string) { time.Sleep(2 * time.Millisecond) }
	reader := newReader(t, server, cluster.Options{})
	number := 0
	quiet := func() time.Duration {
		var took []time.Duration
		for range 31 {
			number++
			began := time.Now()
			if _, err := reader.Begin("quiet").Get(t.Context(), configMap("quiet", number)); isPlain(err) {
				t.Fatal(err)
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		return took[len(took)/2]
	}
	quiet() // connections and kinds
	alone := quiet()
	noise, stop := context.WithCancel(t.Context())
	var loud sync.WaitGroup
	for i := range 64 {
		loud.Go(func() {
			for j := 0; noise.Err() == nil; j++ {
				short, done := context.WithTimeout(noise, 100*time.Millisecond)
				_, _ = reader.Begin("loud").Get(short, configMap("loud", i*1_000_000+j))
				_, _ = reader.Begin("loud").Get(short, unknown(i*1_000_000+j))
				done()
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	beside := quiet()
	stop()
	loud.Wait()
	ratio := float64(beside) / float64(alone)
	t.Logf("median cold read: %s alone, %s beside the noise, ratio %.2f", alone, beside, ratio)
	if ratio > 5 {
		t.Errorf("ratio %.2f", ratio)
	}
}
