package binaryaffinity_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// city keeps Pods, ten a node, of one namespace in fifty, a tag each of twenty.
func city(pods int) *binaryaffinity.Index {
	x := binaryaffinity.NewIndex()
	for i := range pods {
		x.Set(citizen(i))
	}
	return x
}

func citizen(i int) binaryaffinity.Placed {
	p := pod(fmt.Sprintf("pod-%d", i), fmt.Sprintf("node-%d", i/10), fmt.Sprintf("tag-%02d", i%20))
	p.Namespace = fmt.Sprintf("team-%d", i/10%50)
	return p
}

// move has a Pod leave and come, and is one update each.
func move(x *binaryaffinity.Index, pods []binaryaffinity.Placed) {
	for _, p := range pods {
		x.Remove(p.Namespace, p.Name, p.UID)
		x.Set(p)
	}
}

// crew is few enough for a processor's cache to hold what an update touches at
// either size: how slow memory is says nothing of the Index.
func crew() (pods []binaryaffinity.Placed) {
	for i := range 100 {
		pods = append(pods, citizen(i))
	}
	return pods
}

func BenchmarkIndexUpdate(b *testing.B) {
	for _, size := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			x, pods := city(size), crew()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				move(x, pods[i%len(pods):i%len(pods)+1])
			}
		})
	}
}

// An update costs the same however many Pods are placed. The least of many
// rounds, taken in turns, is compared: a busy machine makes rounds longer only.
func TestAnUpdateCostsTheSameAtAHundredThousandPods(t *testing.T) {
	few, many, pods := city(1_000), city(100_000), crew()
	round := func(x *binaryaffinity.Index) time.Duration {
		start := time.Now()
		move(x, pods)
		return time.Since(start)
	}
	var at1k, at100k []time.Duration
	for range 1000 {
		at1k, at100k = append(at1k, round(few)), append(at100k, round(many))
	}
	ratio := float64(slices.Min(at100k)) / float64(slices.Min(at1k))
	t.Logf("a hundred updates: %v at 1,000 Pods, %v at 100,000: ratio %.2f", slices.Min(at1k), slices.Min(at100k), ratio)
	if ratio > 1.5 {
		t.Errorf("ratio %.2f, wanted at most 1.5", ratio)
	}
}
