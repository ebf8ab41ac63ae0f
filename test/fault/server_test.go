package fault_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/test/controlplane"
	"github.com/cozystack/affinityclass/test/platform"
)

// server is a replica that runs; URL, Probes and Metrics are its own.
type server struct {
	platform.Platform
	name string
}

// first is the world's server, the one that the service leads to.
func first() server { return server{*world, platform.Server} }

// replica runs one more server for the test.
func replica(t *testing.T, name string, options platform.Options) server {
	t.Helper()
	s, process := another(t, name, options)
	do(t, func() error { return cp.Run(t.Context(), process) })
	return s
}

// another prepares a server. Its addresses are its own, the platform the world's.
func another(t *testing.T, name string, options platform.Options) (server, controlplane.Process) {
	t.Helper()
	s := server{*world, name}
	process, err := s.Process(name, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cp.Kill(name) }) // one that never ran has nothing to end
	return s, process
}

// scrape reads a server's metrics, as Prometheus would.
func (s server) scrape(t *testing.T) map[string]float64 {
	t.Helper()
	series, err := s.series()
	if err != nil {
		t.Fatal(err)
	}
	return series
}

func (s server) series() (map[string]float64, error) {
	answer, err := http.Get(s.Metrics)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	series := map[string]float64{}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		line := lines.Text()
		at := strings.LastIndexByte(line, ' ')
		if strings.HasPrefix(line, "#") || at < 0 {
			continue
		}
		value, err := strconv.ParseFloat(line[at+1:], 64)
		if err != nil {
			return nil, fmt.Errorf("read metric %s: %w", line, err)
		}
		series[line[:at]] = value
	}
	return series, lines.Err()
}

// started tells one process from the next of its name.
func (s server) started(t *testing.T) float64 {
	t.Helper()
	return s.scrape(t)["process_start_time_seconds"]
}

// memory is what the process holds, in MiB.
func (s server) memory(t *testing.T) float64 {
	t.Helper()
	return s.scrape(t)["process_resident_memory_bytes"] / (1 << 20)
}

// probe asks /healthz or /readyz: its code, and what it says.
func (s server) probe(t *testing.T, path string) (int, string) {
	t.Helper()
	answer, err := http.Get(s.Probes + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// says waits until the log of a server, from an offset on, contains a text.
func (s server) says(t *testing.T, from int64, text string) {
	t.Helper()
	eventually(t, func() error {
		log, err := os.ReadFile(s.log())
		if err == nil && !strings.Contains(string(log[from:]), text) {
			err = errors.New("the log does not say: " + text)
		}
		return err
	})
}

// said is the length of the log so far.
func (s server) said(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(s.log())
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func (s server) log() string { return filepath.Join(s.ControlPlane.Dir(), s.name+".log") }

// survives checks, when the test ends, that the same process still runs.
func (s server) survives(t *testing.T) {
	t.Helper()
	before := s.started(t)
	t.Cleanup(func() {
		now, err := s.series()
		if err != nil || now["process_start_time_seconds"] != before {
			t.Errorf("%s is no more the process it was: %v", s.name, err)
		}
	})
}

// remembers waits until the server judges a good Pod of the application without
// a read: a watch that has lost its connection is behind for a while.
func (s server) remembers(t *testing.T, a app) {
	t.Helper()
	const reads = "affinity_lineage_live_reads_total"
	eventually(t, func() error {
		before := s.scrape(t)
		if got := judged(t, s.URL, a.pod(good)); !got.Allowed {
			return errors.New(got.body)
		}
		if grew(before, s.scrape(t), reads) > 0 {
			return errors.New("it still reads owners or releases")
		}
		return nil
	})
}

// grew is by how much the series of a metric grew together.
func grew(before, after map[string]float64, metric string) float64 {
	sum := 0.0
	for series, value := range after {
		if strings.HasPrefix(series, metric) {
			sum += value - before[series]
		}
	}
	return sum
}
