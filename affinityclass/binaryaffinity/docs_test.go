package binaryaffinity_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
)

// refused is a row of the guide: a value, the path below the annotation, and why.
var refused = regexp.MustCompile("(?m)^\\| `(.*?)` \\| (?:`([^`]+)`)? ?\\| (.+) \\|$")

func TestWhatTheGuideSaysIsRefusedIs(t *testing.T) {
	text, err := os.ReadFile("../../docs/binary-affinity.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "### What cannot be read\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := refused.FindAllStringSubmatch(section, -1)
	if want := strings.Count(section, "\n|") - 2; len(rows) != want || want < 10 {
		t.Fatalf("%d of %d rows can be read", len(rows), want)
	}
	for _, row := range rows {
		_, errs := binaryaffinity.Parse(row[1], at())
		if len(errs) == 0 {
			t.Errorf("%s is accepted", row[1])
			continue
		}
		if want := at().String() + row[2]; errs[0].Field != want || !strings.Contains(errs[0].Detail, row[3]) {
			t.Errorf("%s is refused at %s because it %s; the guide has %s and %s", row[1], errs[0].Field, errs[0].Detail, want, row[3])
		}
	}
}
