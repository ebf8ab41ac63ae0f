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

// A namespace asks in a loop for what is not there, some thousand times a
// second. Another's cold reads must take about as long as without it. (The pause
// leaves processor time: what is measured is who waits for whom. A busy machine
// can spoil a round; it is the best of a few that tells.)
func TestTheNoiseOfOneNamespaceLeavesAnothersLatency(t *testing.T) {
	server := serve(t)
	server.gate = func(string) { time.Sleep(10 * time.Millisecond) }
	reader := newReader(t, server, cluster.Options{})
	next := 0
	quiet := func() time.Duration {
		next += 31
		return medianRead(t, reader, next)
	}
	quiet() // connections and kinds
	var best float64
	for round := range 5 {
		alone := quiet()
		stop := makeNoise(t, reader, round)
		beside := quiet()
		stop()
		ratio := float64(beside) / float64(alone)
		t.Logf("median cold read: %s alone, %s beside the noise, ratio %.2f", alone, beside, ratio)
		if best = ratio; best < 2 {
			return
		}
	}
	t.Errorf("ratio %.2f", best)
}

func medianRead(t *testing.T, reader *cluster.Reader, from int) time.Duration {
	t.Helper()
	var took []time.Duration
	for i := range 31 {
		began := time.Now()
		if _, err := reader.Begin("quiet").Get(t.Context(), configMap("quiet", from+i)); isPlain(err) {
			t.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took[len(took)/2]
}

func makeNoise(t *testing.T, reader *cluster.Reader, round int) (stop func()) {
	noise, cancel := context.WithCancel(t.Context())
	var loud sync.WaitGroup
	for i := range 32 {
		loud.Go(func() {
			for j := 0; noise.Err() == nil; j++ {
				number := (round*32+i)*1_000_000 + j
				short, done := context.WithTimeout(noise, 100*time.Millisecond)
				_, _ = reader.Begin("loud").Get(short, configMap("loud", number))
				_, _ = reader.Begin("loud").Get(short, unknown(number))
				done()
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	return func() { cancel(); loud.Wait() }
}
