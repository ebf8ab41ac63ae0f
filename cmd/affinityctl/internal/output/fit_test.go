package output_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

const long = "worker-with-a-very-long-name-0001.eu-central-1.compute.example.internal"

func rows() []output.Row {
	return []output.Row{
		{Cells: []string{long, "True", "a=b:NoSchedule,c=d:NoExecute"}, Note: "a note of some words that is longer than the terminal is wide, so it goes on"},
		{Cells: []string{"b", "False", "-"}},
	}
}

func fit(t *testing.T, width int) string {
	t.Helper()
	var b strings.Builder
	if err := output.Fit(&b, width, []string{"NAME", "READY", "TAINTS"}, rows()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestATableThatFitsStaysOne(t *testing.T) {
	for _, width := range []int{0, 160} {
		if got := fit(t, width); !strings.HasPrefix(got, "NAME ") || strings.Count(got, "\n") != 4 {
			t.Errorf("at %d columns:\n%s", width, got)
		}
	}
}

func TestATableThatDoesNotBecomesBlocks(t *testing.T) {
	want := long + `
    READY   True
    TAINTS  a=b:NoSchedule,c=d:NoExecute
  a note of some words that is longer than the terminal is wide, so it goes on
b
    READY   False
`
	if diff := cmp.Diff(want, fit(t, 80)); diff != "" {
		t.Error(diff)
	}
}

func TestNotesOfATableThatFitsAreWrapped(t *testing.T) {
	var b strings.Builder
	rows := []output.Row{{Cells: []string{"a", "True"}, Note: "a note that is longer than forty columns\n  and its second line, which goes on as well"}}
	if err := output.Fit(&b, 40, []string{"NAME", "READY"}, rows); err != nil {
		t.Fatal(err)
	}
	want := `NAME  READY
a     True
  a note that is longer than forty
    columns
  and its second line, which goes on as
    well
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestLinesBreakBetweenWordsAlone(t *testing.T) {
	line := "  note: the node " + long + " is not known, nor are one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve"
	for _, width := range []int{20, 40, 80} {
		got := output.Wrap(line, width, 4)
		joined := strings.Join(strings.Fields(got), "")
		if joined != strings.ReplaceAll(line, " ", "") {
			t.Errorf("at %d columns something is lost or torn:\n%s", width, got)
		}
		for each := range strings.Lines(got) {
			if utf8.RuneCountInString(each) > width+1 && !strings.Contains(each, long) {
				t.Errorf("at %d columns a line is longer: %q", width, each)
			}
		}
		if !strings.Contains(got, long) {
			t.Errorf("at %d columns the name is torn:\n%s", width, got)
		}
	}
}
