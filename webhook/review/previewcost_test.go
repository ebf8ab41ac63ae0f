package review_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		{"environment", "", `,"env":[` + many(`{"name":"a"},`, 200_000) + `]`},
		{"volumes", `"volumes":[` + many(`{"name":"a","emptyDir":{}},`, 100_000) + `],`, ""},
		{"tolerations", `"tolerations":[` + many(`{"key":"a","operator":"Exists"},`, 50_000) + `],`, ""},
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

