package manifest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/lineage/fixture"
	"github.com/cozystack/affinityclass/lineage/manifest"
)

func uid(text string) types.UID { return types.UID(text) }

// FuzzReader holds what is promised of any input: each object has a kind, a
// number, a line of the file and JSON that reads back as the same object; each
// error says where.
func FuzzReader(f *testing.F) {
	f.Add(shelf)
	f.Add("{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n{\"kind\":1}")
	f.Add("apiVersion: v1\nkind: List\nitems:\n- &a {apiVersion: v1, kind: Pod}\n- *a\n")
	f.Add("apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n...\n--- # x\n")
	f.Add("---\r\n%YAML 1.2\r\n---\r\n{a: b}: {c: [}")
	f.Add("? a\n: - b\n\ufeff--- |\n  x")
	for _, named := range fixture.Chains() {
		f.Add(string(named.World().JSON()))
	}
	f.Fuzz(func(t *testing.T, input string) {
		documents, err := manifest.Read("f", strings.NewReader(input), manifest.DefaultNamespace("shop"))
		lines := strings.Count(input, "\n") + 1
		var where *manifest.Error
		if err != nil && !errors.As(err, &where) {
			t.Fatalf("error %v does not say where", err)
		}
		if where != nil && (where.Line < 1 || where.Line > lines || where.Index != len(documents)+1) {
			t.Fatalf("error %v is at no such place: %d documents, %d lines", err, len(documents), lines)
		}
		for i, d := range documents {
			if d.Index != i+1 || d.Line < 1 || d.Line > lines || d.Object.Kind == "" || !json.Valid(d.JSON) {
				t.Fatalf("document %d of %d lines: %+v", i, lines, d)
			}
			again, err := manifest.Read("f", strings.NewReader(string(d.JSON)), manifest.DefaultNamespace("shop"))
			if err != nil || len(again) != 1 {
				t.Fatalf("%s read back: %d objects, %v", d.JSON, len(again), err)
			}
			if diff := cmp.Diff(d.Object, again[0].Object); diff != "" {
				t.Fatalf("%s read back differs:\n%s", d.JSON, diff)
			}
		}
	})
}
