package preview

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cozystack/affinityclass/cmd/affinityctl/internal/output"
)

const shown = 8 // candidates of a Pod that text lists

// Text writes the report for people, within a width if it is not 0.
func (r *Report) Text(w io.Writer, width int) error {
	for i := range r.Items {
		if i > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := r.Items[i].text(w, width); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		if _, err := io.WriteString(w, output.Wrap("note: "+note, width, 2)); err != nil {
			return err
		}
	}
	return nil
}

func (i *Item) text(w io.Writer, width int) error {
	lines := append([]string{}, i.Reasons...)
	if len(i.Unmodelled) > 0 {
		lines = append(lines, "not judged: "+strings.Join(i.Unmodelled, ", "))
	}
	lines = append(lines, i.choice()...)
	lines = append(lines, i.waits()...)
	var b strings.Builder
	b.WriteString(output.Wrap(fmt.Sprintf("%s %s: %s", i.Object.Kind, i.name(), i.headline()), width, 4))
	for _, line := range lines {
		b.WriteString(output.Wrap("  "+line, width, 4))
	}
	if err := i.candidates(&b, width); err != nil {
		return err
	}
	if err := i.matrix(&b, width); err != nil {
		return err
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (i *Item) name() string {
	if i.Object.Namespace == "" {
		return i.Object.Name
	}
	return i.Object.Namespace + "/" + i.Object.Name
}

func (i *Item) headline() string {
	text := fmt.Sprintf("%s, %d of %d nodes", i.Verdict, i.CandidateCount, i.total)
	if i.Winner != "" {
		text += fmt.Sprintf(", %s would take %s", i.Profile, i.Winner)
	}
	if len(i.Tie) > 1 {
		text += fmt.Sprintf(" (of %d alike)", len(i.Tie))
	}
	if i.Shortfall != "" {
		text += ", " + i.Shortfall + " short"
	}
	if i.Full != "" {
		text += ", " + i.Full
	}
	return text
}

// choice says that the preferences of a binary value had none.
func (i *Item) choice() []string {
	switch {
	case i.Informative:
		return nil
	case i.AffineNode != "":
		return []string{fmt.Sprintf("not informative: %s (%s)", i.InformativeReason, i.AffineNode)}
	}
	return []string{"not informative: " + i.InformativeReason}
}

// waits says that the Pod is the first of its group, and the two ways out.
func (i *Item) waits() []string {
	if len(i.FirstOfGroup) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("it bears %s itself and no placed Pod of its namespace does: begin the group with a Pod that bears the tag and does not ask for it, or ask by prefer_with_tag",
		strings.Join(i.FirstOfGroup, ", "))}
}

// candidates lists the best. The tier is shown where a binary value makes one.
func (i *Item) candidates(w io.Writer, width int) error {
	if len(i.Candidates) == 0 {
		return nil
	}
	tiers := i.Candidates[0].Affinity.InstanceCount != nil
	header := []string{"  NODE", "SCORE", "TERMS"}
	if tiers {
		header = []string{"  NODE", "TIER", "NEIGHBOURS", "SCORE", "TERMS"}
	}
	var rows []output.Row
	for _, c := range i.Candidates[:min(shown, len(i.Candidates))] {
		cells := []string{"  " + c.Node}
		if tiers {
			cells = append(cells, fmt.Sprintf("%+d", c.Tier), strconv.Itoa(*c.Affinity.InstanceCount))
		}
		rows = append(rows, output.Row{Cells: append(cells, strconv.FormatInt(c.Score, 10), c.sum())})
	}
	if more := len(i.Candidates) - len(rows); more > 0 {
		rows[len(rows)-1].Note = fmt.Sprintf("and %d more", more)
	}
	return output.Fit(w, width, header, rows)
}

func (c *Candidate) sum() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.Terms)) {
		parts = append(parts, fmt.Sprintf("%s %+d", name, c.Terms[name]))
	}
	return cmp.Or(strings.Join(parts, ", "), "-")
}

// matrix lists, for each node, the stages that drop it and the one step that
// would make it a candidate.
func (i *Item) matrix(w io.Writer, width int) error {
	if len(i.Matrix) == 0 {
		return nil
	}
	var rows []output.Row
	for _, n := range i.Matrix {
		rows = append(rows, n.lines(i.Stages)...)
	}
	return output.Fit(w, width, []string{"  NODE", "STAGE", "REASON"}, rows)
}

// lines follow the order of the stages.
func (n *Row) lines(stages []Stage) []output.Row {
	if len(n.Reasons) == 0 {
		return []output.Row{{Cells: []string{"  " + n.Node, "-", "candidate"}}}
	}
	var rows []output.Row
	for _, stage := range stages {
		if reason, ok := n.Reasons[stage.Stage]; ok {
			rows = append(rows, output.Row{Cells: []string{"  " + n.Node, stage.Stage, reason}})
		}
	}
	if n.Fix != "" && len(rows) > 0 {
		rows[len(rows)-1].Note = "  fix: " + n.Fix
	}
	return rows
}
