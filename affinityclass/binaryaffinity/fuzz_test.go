package binaryaffinity_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// FuzzParse holds the parser to what can be said of any text: no panic, an answer
// that is all of one kind, nothing accepted that the rules refuse, and print and
// parse that undo each other.
func FuzzParse(f *testing.F) {
	for _, e := range corpus(f) {
		f.Add(e.text())
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, errs := binaryaffinity.Parse(text, at())
		if len(errs) > 0 {
			if diff := cmp.Diff(binaryaffinity.Parsed{}, parsed); diff != "" {
				t.Fatalf("refused and read: %s", diff)
			}
			for _, err := range errs {
				if !strings.HasPrefix(err.Field, at().String()) || len(err.Error()) > 1000 {
					t.Fatalf("an error of no use: %v", err)
				}
			}
			return
		}
		lawful(t, text, parsed)
		again, errs := binaryaffinity.Parse(parsed.Value.String(), at())
		if diff := cmp.Diff(binaryaffinity.Parsed{Value: parsed.Value}, again); diff != "" || len(errs) > 0 {
			t.Fatalf("%s reads back with %v as %s", parsed.Value, errs, diff)
		}
	})
}

func lawful(t *testing.T, text string, parsed binaryaffinity.Parsed) {
	v, object := parsed.Value, map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(text), &object); err != nil || object == nil || len(text) > binaryaffinity.MaxBytes {
		t.Fatalf("accepted %q, which is no small object: %v", text, err)
	}
	count := 0
	for _, word := range binaryaffinity.Words() {
		tags := v.Tags(word)
		count += len(tags)
		if !slices.IsSorted(tags) || len(slices.Compact(slices.Clone(tags))) != len(tags) {
			t.Fatalf("%s of %s is not sorted and unique", word, v)
		}
		for _, tag := range tags {
			if strings.Contains(tag, "/") || len(validation.IsQualifiedName(binaryaffinity.TagPrefix+tag)) > 0 {
				t.Fatalf("%s has %q, which no label can bear", v, tag)
			}
		}
		if _, spelled := object[string(word)]; spelled && parsed.Weighted {
			t.Fatalf("%q has a word and was read as weights", text)
		}
	}
	if count > binaryaffinity.MaxTags || parsed.Weighted && v.Requires() {
		t.Fatalf("accepted %s", v)
	}
	for _, tag := range v.RequireWith {
		if slices.Contains(v.RequireWithout, tag) {
			t.Fatalf("%s contradicts itself", v)
		}
	}
}
