package surge_test

import (
	"fmt"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/affinityclass/placement/surge"
)

const benchNodes, benchPods = 1000, 30000

// city is a cluster of a thousand nodes in three zones with thirty thousand Pods
// of five hundred applications. One in ten keeps its Pods apart by host, one
// spreads over the zones. The first node has a hundred Pods of fifty applications;
// most hosts have room for all of them, so that most are judged.
func city() (*placement.Snapshot, *surge.Survey) {
	s, survey := placement.NewSnapshot(), surge.NewSurvey(hostName(0))
	for i := range benchNodes {
		n := node(hostName(i), label(zoneKey, "zone-"+strconv.Itoa(i%3)), has(cpu, "16"), has(memory, "64Gi"), has(v1.ResourcePods, "250"))
		s.SetNode(n)
		survey.AddNode(n)
	}
	for i := range benchPods {
		p := citizen(i)
		s.SetPod(p)
		survey.AddPod(p)
	}
	return s, survey
}

func hostName(i int) string { return fmt.Sprintf("node-%05d", i) }

func citizen(i int) *v1.Pod {
	at, kind := hostName(1+(i*7+i/benchNodes)%(benchNodes-1)), i%500
	if i < 100 {
		at, kind = hostName(0), i%50
	}
	name := "app-" + strconv.Itoa(kind)
	p := pod(name+"-7d9f8c6b5-"+strconv.Itoa(i), app(name), on(at), asks(cpu, strconv.Itoa(100+i%5)+"m"), asks(memory, "256Mi"))
	switch {
	case i >= 100 && kind%10 == 3:
		apart(name, host)(p)
	case kind%10 == 4:
		spreads(name, zoneKey, 5)(p)
	}
	return p
}

// plain are a hundred Pods that ask nothing of their neighbours.
func plain(tb testing.TB) []*placement.Request {
	tb.Helper()
	var all []*placement.Request
	for i := range 100 {
		r, err := placement.FromPod(pod("plain-"+strconv.Itoa(i), asks(cpu, "100m"), asks(memory, "256Mi")))
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// BenchmarkAuditAgainstPreviews audits the drain of a node with 100 Pods and asks 100
// plain previews of the same cluster, by turns, and reports the ratio of the shortest
// of each; the bar is 3.
func BenchmarkAuditAgainstPreviews(b *testing.B) {
	s, survey := city()
	requests := plain(b)
	var previews, audit time.Duration
	turn := 0
	for b.Loop() { // the least of some by turns: others share the machine
		previews = least(turn, previews, clock(func() {
			for _, r := range requests {
				s.Preview(r, placement.Options{})
			}
		}))
		var report *surge.Report
		audit = least(turn, audit, clock(func() { report = ask(b, s, survey, surge.DrainSized) }))
		if len(report.Leaving) != 100 || len(report.Hosts) < benchNodes/2 {
			b.Fatalf("%d Pods leave, %d hosts are judged", len(report.Leaving), len(report.Hosts))
		}
		turn++
	}
	b.ReportMetric(float64(audit)/float64(previews), "audit/100-previews")
}

func least(turn int, so, now time.Duration) time.Duration {
	if turn == 0 {
		return now
	}
	return min(so, now)
}

// clock is the time that the work took of the processors, whoever else was at work
// meanwhile.
func clock(work func()) time.Duration {
	runtime.GC()
	start := spent()
	work()
	return spent() - start
}

func spent() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func ask(tb testing.TB, s *placement.Snapshot, survey *surge.Survey, mode surge.Mode) *surge.Report {
	tb.Helper()
	report, err := surge.Audit(&surge.Question{Snapshot: s, Survey: survey, Mode: mode, Placeholder: surge.Placeholder{Namespace: "default", Image: "pause"}})
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

func BenchmarkAudit(b *testing.B) {
	s, survey := city()
	b.ReportAllocs()
	for b.Loop() {
		ask(b, s, survey, surge.DrainSized)
	}
}

func BenchmarkHundredPreviews(b *testing.B) {
	s, _ := city()
	requests := plain(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, r := range requests {
			s.Preview(r, placement.Options{})
		}
	}
}
