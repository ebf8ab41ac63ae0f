package chart

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template/parse"
)

// Lines says from which lines of a template's file the lines come that it renders.
// The zero value knows nothing: everything is from the whole file.
type Lines struct {
	of    []int // by rendered line, from 0
	total int   // of the file
}

// Region is the first and the last line of the file from which a region of rendered
// lines came, all counted from 1.
func (l *Lines) Region(from, to int) (first, last int) {
	first, last = 0, 0
	for line := from; line <= to && line <= len(l.of); line++ {
		if source := l.of[line-1]; source > 0 {
			if first == 0 || source < first {
				first = source
			}
			last = max(last, source)
		}
	}
	if first == 0 {
		return 1, max(1, l.total)
	}
	return first, last
}

// Lines renders the chart once more, with marks in the text of the templates, and
// reads off them where each line came from. A template whose marked rendering has
// another number of lines, because it draws random text or counts what it renders,
// is left out: nothing is known of it.
func (c *Chart) Lines(templates []Template) map[string]*Lines {
	totals := map[string]int{}
	marked, err := c.render(func(name, source string) string {
		totals[name] = strings.Count(strings.TrimRight(source, "\n"), "\n") + 1
		return withMarks(source)
	})
	found := map[string]*Lines{}
	for _, t := range templates {
		lines := &Lines{total: totals[t.name]}
		if err == nil {
			lines.of = readMarks(separated(marked[t.name]), strings.Count(t.Text, "\n"))
		}
		found[t.File] = lines
	}
	return found
}

// A mark stands for a line of the source. Its characters are for private use, and
// no template has them.
const (
	markOpen  = "\ue0f0"
	markClose = "\ue0f1"
)

var mark = regexp.MustCompile(markOpen + `(\d+)` + markClose)

func markOf(line int) string { return fmt.Sprintf("%s%d%s", markOpen, line, markClose) }

// readMarks gives the source of each line; nil when there are not as many as in the
// text without marks. A line without a mark belongs to the last one: more than one
// line came of it.
func readMarks(text string, newlines int) []int {
	if strings.Count(text, "\n") != newlines {
		return nil
	}
	var of []int
	current := 0
	for line := range strings.SplitSeq(text, "\n") {
		marks := mark.FindAllStringSubmatch(line, -1)
		source := current
		for i, m := range marks {
			current, _ = strconv.Atoi(m[1]) // digits, by the expression
			if i == 0 || source == 0 {
				source = current
			}
		}
		of = append(of, source)
	}
	return of
}

// withMarks is the source with a mark at each piece of text and each action; the
// source itself when it does not parse.
func withMarks(source string) string {
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(source, "", "", trees); err != nil {
		return source
	}
	m := &marker{source: source}
	m.list(tree.Root)
	var b strings.Builder
	for name, other := range trees {
		if other != tree {
			fmt.Fprintf(&b, "{{define %q}}%s{{end}}", name, other.Root)
		}
	}
	return b.String() + tree.Root.String()
}

// marker puts marks into a parsed template.
type marker struct{ source string }

// line is the line of a position in the source, from 1.
func (m *marker) line(at parse.Pos) int { return 1 + strings.Count(m.source[:int(at)], "\n") }

// list marks the nodes of a list and, in front of each action, its line.
func (m *marker) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	var nodes []parse.Node
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.TextNode:
			node.Text = []byte(m.text(node))
		case *parse.IfNode:
			m.branch(&node.BranchNode)
		case *parse.RangeNode:
			m.branch(&node.BranchNode)
		case *parse.WithNode:
			m.branch(&node.BranchNode)
		case *parse.ActionNode, *parse.TemplateNode:
			nodes = append(nodes, &parse.TextNode{NodeType: parse.NodeText, Text: []byte(markOf(m.line(node.Position())))})
		}
		nodes = append(nodes, node)
	}
	list.Nodes = nodes
}

func (m *marker) branch(branch *parse.BranchNode) {
	m.list(branch.List)
	m.list(branch.ElseList)
}

// text is the text with the line at its start, and at that of each further line.
func (m *marker) text(node *parse.TextNode) string {
	line := m.line(node.Pos)
	var b strings.Builder
	for i, piece := range strings.SplitAfter(string(node.Text), "\n") {
		if piece != "" {
			b.WriteString(markOf(line + i))
		}
		b.WriteString(piece)
	}
	return b.String()
}
