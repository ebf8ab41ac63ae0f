package binaryaffinity_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// entry is a line of the corpus; its head says what the fields mean.
type entry struct {
	Value, Verdict, Path, Says, Becomes string
	Pad                                 int
}

func (e entry) text() string {
	return e.Value + strings.Repeat(" ", max(0, e.Pad-len(e.Value)))
}

func corpus(t testing.TB) []entry {
	data, err := os.ReadFile("../../test/testdata/binary-affinity/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	if err := yaml.UnmarshalStrict(data, &entries); err != nil {
		t.Fatal(err)
	}
	return entries
}

func at() *field.Path { return binaryaffinity.Path(nil) }

func TestEveryValueOfTheCorpusHasItsAnswer(t *testing.T) {
	entries := corpus(t)
	if len(entries) < 200 {
		t.Fatalf("the corpus has %d values, wanted 200 at least", len(entries))
	}
	for _, e := range entries {
		t.Run(strings.ToValidUTF8(e.Verdict+" "+e.Value[:min(len(e.Value), 60)], "?"), func(t *testing.T) { e.check(t) })
	}
}

func (e entry) check(t *testing.T) {
	parsed, errs := binaryaffinity.Parse(e.text(), at())
	if e.Verdict == "malformed" {
		e.checkRefused(t, parsed, errs)
		return
	}
	if len(errs) > 0 {
		t.Fatalf("refused: %v", errs)
	}
	if weighted := e.Verdict == "weighted"; parsed.Weighted != weighted {
		t.Errorf("weighted is %v", parsed.Weighted)
	}
	if diff := cmp.Diff(e.Becomes, parsed.Value.String()); diff != "" {
		t.Error(diff)
	}
}

func (e entry) checkRefused(t *testing.T, parsed binaryaffinity.Parsed, errs field.ErrorList) {
	if len(errs) == 0 {
		t.Fatalf("accepted as %s", parsed.Value)
	}
	if diff := cmp.Diff(binaryaffinity.Parsed{}, parsed); diff != "" {
		t.Errorf("a refused value asks something: %s", diff)
	}
	if want := at().String() + e.Path; errs[0].Field != want {
		t.Errorf("at %s, wanted %s", errs[0].Field, want)
	}
	if !strings.Contains(errs[0].Detail, e.Says) || e.Says == "" {
		t.Errorf("says %q, wanted %q", errs[0].Detail, e.Says)
	}
}
