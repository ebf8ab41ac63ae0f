package chart

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// region is a value in a rendered text: its lines, counted from 1, and where its
// fields stand.
type region struct {
	from, to int
	indent   int      // blanks in front of its fields
	missing  int      // how many steps of the path were not there
	fields   []string // of an object
}

// locate finds the value at a path of the document between two lines of the text, or
// the last one on the way that is there.
func (t *Template) locate(from, to int, path string) region {
	lines := strings.SplitAfter(t.Text, "\n")
	to = min(to, len(lines))
	whole := region{from: from, to: to}
	var root yaml.Node
	if from < 1 || from > to || yaml.Unmarshal([]byte(strings.Join(lines[from-1:to], "")), &root) != nil || len(root.Content) == 0 {
		return whole
	}
	node, steps := root.Content[0], stepsOf(path)
	for i, step := range steps {
		next := child(node, step)
		if next == nil {
			return within(node, from, len(steps)-i)
		}
		node = next
	}
	return within(node, from, 0)
}

func within(node *yaml.Node, from, missing int) region {
	r := region{from: from - 1 + node.Line, to: from - 1 + lastLine(node), indent: node.Column - 1, missing: missing}
	if node.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(node.Content); i += 2 {
			r.fields = append(r.fields, node.Content[i].Value)
		}
	}
	return r
}

func lastLine(node *yaml.Node) int {
	last := node.Line
	if node.Kind == yaml.ScalarNode && node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		last += strings.Count(strings.TrimRight(node.Value, "\n"), "\n") + 1
	}
	for _, below := range node.Content {
		last = max(last, lastLine(below))
	}
	return last
}

var step = regexp.MustCompile(`[^.\[\]]+`)

// stepsOf are the names and numbers of a path such as spec.replsets[0].arbiter.
func stepsOf(path string) []string { return step.FindAllString(path, -1) }

// child is what a step leads to, nil when it is not there.
func child(node *yaml.Node, step string) *yaml.Node {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == step && node.Content[i+1].Tag != "!!null" {
				return node.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if n, err := strconv.Atoi(step); err == nil && n >= 0 && n < len(node.Content) {
			return node.Content[n]
		}
	}
	return nil
}
