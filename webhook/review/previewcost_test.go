package review_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/cozystack/affinityclass/affinityclass/placement"
	"github.com/cozystack/affinityclass/webhook/review"
)

// What a template may have much of and no placement reads, and what one reads.
func TestAPreviewOfALargeTemplateTakesLittleMemory(t *testing.T) {
	const most = 256 << 20 // bytes in all, garbage counted
	many := func(text string, times int) string { return strings.TrimSuffix(strings.Repeat(text, times), ",") }
	tests := []struct {
		name, field, container string
	}{
		{"arguments", "", `,"args":[` + many(`"",`, 900_000) + `]`},
		{"environment", "", `,"env":[` + many(`{"name":"a"},`, 100_000) + `]`},
		{"volumes", `"volumes":[` + many(`{"name":"a","emptyDir":{}},`, 50_000) + `],`, ""},
		{"tolerations", `"tolerations":[` + many(`{"key":"a","operator":"Exists"},`, 20_000) + `],`, ""},
	}
	for _, kind := range []string{"Deployment", "StatefulSet"} {
		for _, tt := range tests {
			t.Run(kind+" with "+tt.name, func(t *testing.T) {
				object := strings.Replace(fmt.Sprintf(deployment, kind, 100), `"nodeSelector":{"zone":"dc1"},`, tt.field, 1)
				object = strings.Replace(object, `"name":"c"`, `"name":"c"`+tt.container, 1)
				w, _ := shop()
				r := review.New(w.begin, w, review.Options{State: &placedAt{cached: stage()}})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				told := r.Preview(&review.Draft{Namespace: "shop", Object: []byte(object)})
				runtime.ReadMemStats(&after)
				if len(told) != 1 || !strings.Contains(told[0], "of 4 nodes") {
					t.Errorf("told %q", told)
				}
				if took := after.TotalAlloc - before.TotalAlloc; took > most {
					t.Errorf("%d MB were taken for an object of %d kB, want at most %d MB", took>>20, len(object)>>10, most>>20)
				}
			})
		}
	}
}

// within previews once more while it is read.
type within struct {
	placedAt
	more func()
}

func (w *within) Read(f func(*placement.Snapshot)) bool {
	w.more()
	return w.placedAt.Read(f)
}

func TestFewPreviewsAreMadeAtATime(t *testing.T) {
	w, _ := shop()
	state := &within{placedAt: placedAt{cached: stage()}}
	r := review.New(w.begin, w, review.Options{State: state})
	draft := &review.Draft{Namespace: "shop", Object: []byte(podThat("", "1"))}
	var told []string
	state.more = func() { told = append(told, r.Preview(draft)...) }
	told = append(told, r.Preview(draft)...)
	want := []string{
		"preview: not to be had now: too many are being made; try again",
		"preview: 2 of 4 nodes", "preview: 2 of 4 nodes",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the third at a time is not made, and the others are (-want +got):\n%s", diff)
	}
	state.more = func() {}
	if diff := cmp.Diff([]string{"preview: 2 of 4 nodes"}, r.Preview(draft)); diff != "" {
		t.Errorf("and one after them is made again (-want +got):\n%s", diff)
	}
}

// Whatever metadata is sent, even none.
func TestAPreviewOfAnObjectWithoutMetadata(t *testing.T) {
	w, _ := shop()
	r := review.New(w.begin, w, review.Options{State: &placedAt{cached: stage()}})
	for _, metadata := range []string{`"metadata":null,`, ``} {
		object := strings.Replace(podThat("", "1"), `"metadata":{"name":"web"},`, metadata, 1)
		if diff := cmp.Diff([]string{"preview: 2 of 4 nodes"}, r.Preview(&review.Draft{Namespace: "shop", Object: []byte(object)})); diff != "" {
			t.Errorf("with %q (-want +got):\n%s", metadata, diff)
		}
	}
	if diff := cmp.Diff([]string{"preview: not to be had: there is no object"}, r.Preview(&review.Draft{Namespace: "shop", Object: []byte("null")})); diff != "" {
		t.Error(diff)
	}
}

// timed measures how long the snapshot is held.
type timed struct {
	snapshot *placement.Snapshot
	held     time.Duration
}

func (s *timed) Read(f func(*placement.Snapshot)) bool {
	begin := time.Now()
	f(s.snapshot)
	s.held = time.Since(begin)
	return true
}

func (*timed) Live(context.Context, string, []string) (*placement.Snapshot, error) { return nil, nil }

// crowded is a cluster where each of 10,000 Pods has labels of its own.
func crowded() *placement.Snapshot {
	var objects []any
	for i := range 1000 {
		n := nodeIn(fmt.Sprintf("n%d", i), "dc1")
		n.Labels[corev1.LabelHostname] = n.Name
		n.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("110")
		objects = append(objects, n)
	}
	for i := range 10_000 {
		p := bearer(fmt.Sprintf("ns%d", i%100), fmt.Sprintf("n%d", i%1000), "web")
		p.Name = fmt.Sprintf("p%d", i)
		p.Labels["own"] = p.Name
		objects = append(objects, p)
	}
	return snapshotOf(objects)
}

func TestAPreviewHoldsChangesBackForAShortTime(t *testing.T) {
	const longest = 5 * time.Second // on a machine that is busy with other things
	const term = `{"weight":1,"podAffinityTerm":{"topologyKey":"kubernetes.io/hostname","namespaceSelector":{},"labelSelector":{"matchExpressions":[{"key":"own","operator":"Exists"}]}}},`
	state := &timed{snapshot: crowded()}
	tests := []struct {
		name            string
		terms, replicas int
		want            string
	}{
		{"a few terms and many Pods", 10, 100, "preview: 1000 of 1000 nodes for the first Pod; "},
		{"many terms", 1000, 1, "preview: cut short: of what it asks, on so many nodes and Pods, there is too much to look at"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			terms := strings.TrimSuffix(strings.Repeat(term, tt.terms), ",")
			object := strings.Replace(fmt.Sprintf(deployment, "Deployment", tt.replicas), `"nodeSelector":{"zone":"dc1"},`,
				`"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[`+terms+`]}},`, 1)
			object = strings.Replace(object, `"cpu":"3"`, `"cpu":"0"`, 1)
			w, _ := shop()
			r := review.New(w.begin, w, review.Options{State: state})
			told := r.Preview(&review.Draft{Namespace: "shop", Object: []byte(object), All: true})
			if len(told) == 0 || !strings.HasPrefix(told[0], tt.want) {
				t.Errorf("told %q, want %q first", told, tt.want)
			}
			if tt.replicas > 1 && !strings.Contains(told[0], " of the first ") {
				t.Errorf("not all are tried, and it is not told: %q", told)
			}
			t.Logf("held for %v", state.held)
			if state.held > longest {
				t.Errorf("the snapshot was held for %v", state.held)
			}
		})
	}
}
