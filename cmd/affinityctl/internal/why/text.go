package why

import (
	"fmt"
	"io"
	"strings"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
	"github.com/cozystack/affinityclass/webhook/review"
)

// Text writes the report for people, within a width if it is not 0.
func (r *Report) Text(w io.Writer, width int) error {
	var b strings.Builder
	for n := range r.Items {
		if n > 0 {
			b.WriteString("\n")
		}
		r.Items[n].text(&b, width)
	}
	for _, note := range r.Notes {
		b.WriteString(output.Wrap("note: "+note, width, 2))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (i *Item) text(b *strings.Builder, width int) {
	line := func(text string, indent int) { b.WriteString(output.Wrap(text, width, indent)) }
	o := i.Object
	head := fmt.Sprintf("%s %s/%s: %s (%s", o.Kind, o.Namespace, o.Name, i.Verdict, i.Reason)
	if i.Code != 0 {
		head += fmt.Sprintf(", %d", i.Code)
	}
	line(head+")", 2)
	if i.Governed {
		line("  "+i.sentence(), 4)
	} else {
		line(fmt.Sprintf("  no webhook is asked in namespace %s, whose labels do not opt in; in mode %s this would be its answer:", o.Namespace, i.Mode), 4)
		line("  "+i.sentence(), 4)
	}
	for _, violation := range i.Violations {
		line(fmt.Sprintf("  - %s: %s", violation.Field, violation.Message), 6)
	}
	for _, row := range i.rows() {
		const column = 11
		line(fmt.Sprintf("  %-*s%s", column, row[0], row[1]), column+2)
	}
	if i.Next != "" {
		fmt.Fprintf(b, "  next       %s\n", i.Next) // in one line, to be copied
	}
	line("  lineage", 4)
	i.Lineage.Tree(b, "    ", width)
	if i.Lineage.Why != "" {
		line(fmt.Sprintf("    %s: %s", i.Lineage.Outcome, i.Lineage.Why), 6)
	}
}

// sentence is what is wrong and what to do, or that nothing is.
func (i *Item) sentence() string {
	switch {
	case i.Verdict == review.Unknown:
		return "could not tell: " + i.Message
	case i.Message != "":
		return i.Message
	case i.Verdict == review.NotGoverned:
		return "nothing is asked of it: no release of its lineage names an AffinityClass, and no tenant restricts its namespace"
	default:
		return "it keeps what is asked of it"
	}
}

func (i *Item) rows() [][2]string {
	rows := [][2]string{}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, [2]string{name, value})
		}
	}
	class := i.Class
	if i.Selector != "" {
		class += " (" + i.Selector + ")"
	}
	add("class", class)
	add("release", i.Release)
	add("mode", string(i.Mode))
	add("labels", strings.Join(i.Labels, ", "))
	add("scheduling", i.Scheduling)
	return rows
}
