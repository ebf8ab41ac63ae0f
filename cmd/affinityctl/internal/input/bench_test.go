package input_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/affinityclass/workload"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/check"
	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/input"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

// The size of a large input: what a cluster's worth of rendered charts comes to.
const (
	manifests     = 5000
	manifestBytes = 8 << 10
	seed          = 8
)

const class = "apiVersion: cozystack.io/v1alpha1\nkind: AffinityClass\nmetadata:\n  name: dc1\nspec:\n  nodeSelector:\n    topology.kubernetes.io/zone: dc1\n"

// large writes the manifests as one stream, and the class they are held to after
// them: what stands last counts for what stands first.
func large(n int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	for i := range n {
		if i%5 == 4 {
			configMap(&b, random, i)
		} else {
			deployment(&b, random, i)
		}
		b.WriteString("---\n")
	}
	b.WriteString(class)
	return b.Bytes()
}

func configMap(b *bytes.Buffer, random *rand.Rand, i int) {
	start := b.Len()
	fmt.Fprintf(b, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-%d\n  namespace: shop\ndata:\n", i)
	for line := 0; b.Len()-start < manifestBytes; line++ {
		fmt.Fprintf(b, "  setting-%d: %q\n", line, fmt.Sprintf("value %d of the day", random.IntN(1e9)))
	}
}

func deployment(b *bytes.Buffer, random *rand.Rand, i int) {
	start := b.Len()
	fmt.Fprintf(b, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-%d\n  namespace: shop\n  labels:\n    app: web-%d\nspec:\n"+
		"  replicas: %d\n  selector:\n    matchLabels:\n      app: web-%d\n  template:\n    metadata:\n      labels:\n        app: web-%d\n    spec:\n"+
		"      nodeSelector:\n        topology.kubernetes.io/zone: dc%d\n      containers:\n", i, i, random.IntN(9), i, i, 1+i%2)
	for c := 0; b.Len()-start < manifestBytes; c++ {
		fmt.Fprintf(b, "      - name: main-%d\n        image: registry.example.org/web/main:1.%d\n        resources:\n          requests:\n            cpu: %dm\n"+
			"            memory: 64Mi\n        env:\n", c, random.IntN(99), 10+random.IntN(90))
		for v := range 8 {
			fmt.Fprintf(b, "        - name: SETTING_%d\n          value: %q\n", v, fmt.Sprint(random.IntN(1e9)))
		}
	}
}

func judge(tb testing.TB, paths []string) *check.Report {
	tb.Helper()
	kinds := check.NewKinds(workload.Operators())
	work := input.Work[check.Item]{Reduce: kinds.Item, Number: (*check.Item).Number}
	items, err := input.Parallel(input.Source{Namespace: "default"}, paths, work)
	if err != nil {
		tb.Fatal(err)
	}
	report, err := check.Run(context.Background(), check.Input{Items: items, Class: "dc1"})
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// BenchmarkCheck is a check of 5,000 manifests of 8 KiB, from the file to the report.
// The bytes a second divided by GOMAXPROCS are the figure of docs/measurements.md.
func BenchmarkCheck(b *testing.B) {
	text := large(manifests)
	file := filepath.Join(b.TempDir(), "large.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		judge(b, []string{file})
	}
	b.ReportMetric(float64(len(text))/b.Elapsed().Seconds()*float64(b.N)/1e6/float64(runtime.GOMAXPROCS(0)), "MB/s/core")
}

// BenchmarkYAML is what the YAML library alone takes for the same text.
func BenchmarkYAML(b *testing.B) {
	text := large(200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := manifest.Read("large.yaml", bytes.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestALargeInputIsHeldInLittleMemory writes 40 MB through the check while watching
// what is live: the text must not be held as a whole.
func TestALargeInputIsHeldInLittleMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(file, large(200), 0o600); err != nil {
		t.Fatal(err)
	}
	before := live()
	kinds := check.NewKinds(workload.Operators())
	items, err := input.Parallel(input.Source{Namespace: "default"}, []string{file},
		input.Work[check.Item]{Reduce: kinds.Item, Number: (*check.Item).Number})
	if err != nil {
		t.Fatal(err)
	}
	held := live() - before
	runtime.KeepAlive(items)
	if perItem := held / uint64(len(items)); perItem > manifestBytes/2 {
		t.Errorf("%d bytes are held for each manifest of %d", perItem, manifestBytes)
	}
}

func live() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

func TestResultsKeepTheOrderOfTheFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(file, large(100), 0o600); err != nil {
		t.Fatal(err)
	}
	report := judge(t, []string{file})
	last := 0
	for _, result := range report.Results {
		if result.Source.Document <= last {
			t.Fatalf("%s is document %d, after document %d", result.Object.Name, result.Source.Document, last)
		}
		last = result.Source.Document
		if result.Object.Kind == "Deployment" && result.Object.Name != fmt.Sprintf("web-%d", result.Source.Document-1) {
			t.Fatalf("%s is document %d", result.Object.Name, result.Source.Document)
		}
	}
	if report.Summary.Allowed == 0 || report.Summary.Denied == 0 {
		t.Errorf("a class that stands last does not count: %+v", report.Summary)
	}
}

func TestAnErrorSaysWhereAmongManyItStands(t *testing.T) {
	text := string(large(40)) + "---\na: b\n  c: d\n---\n" + string(large(40))
	line := strings.Count(text[:strings.Index(text, "a: b")], "\n") + 2
	file := filepath.Join(t.TempDir(), "broken.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	kinds := check.NewKinds(workload.Operators())
	_, err := input.Parallel(input.Source{}, []string{file}, input.Work[check.Item]{Reduce: kinds.Item, Number: (*check.Item).Number})
	if want := fmt.Sprintf("%s: document 42, line %d: ", file, line); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
