package chart

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadMarks(t *testing.T) {
	tests := []struct {
		name, text string
		newlines   int
		want       []int
	}{
		{"each line its own", markOf(1) + "a\n" + markOf(2) + "b", 1, []int{1, 2}},
		{"the first of several counts", markOf(3) + "a: " + markOf(4) + "b\n" + markOf(5) + "c", 1, []int{3, 5}},
		{"lines of one action are all of its line", markOf(3) + "a\nb\nc\n" + markOf(4) + "d", 3, []int{3, 3, 3, 4}},
		{"another number of lines than without marks", markOf(1) + "a\nb", 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, readMarks(tt.text, tt.newlines)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARegionOfWhichNothingIsKnownIsTheWholeFile(t *testing.T) {
	lines := Lines{total: 7}
	if first, last := lines.Region(40, 50); first != 1 || last != 7 {
		t.Errorf("got %d-%d", first, last)
	}
}

func TestMarksChangeNothingElse(t *testing.T) {
	for _, source := range []string{
		"a: {{ .b }}\n{{- if .c }}\nd: 1\n{{- else if .e }}\nf: 2\n{{- end }}\n",
		"{{ range $i, $x := .y }}{{ $i }}: {{ $x | quote }}\n{{ else }}none{{ end }}",
		"{{- with .a -}}  x  {{- end -}}\n{{/* gone */}}\n{{ define \"x\" }}y{{ end }}{{ template \"x\" . }}",
		"{{ if }} does not parse",
	} {
		again := mark.ReplaceAllString(withMarks(source), "")
		if twice := mark.ReplaceAllString(withMarks(again), ""); twice != again {
			t.Errorf("%q became %q, then %q", source, again, twice)
		}
	}
}
