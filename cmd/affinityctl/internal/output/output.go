// Package output writes what a verb found: text for people, JSON and YAML for
// programs. It decides nothing.
package output

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// Format is the value of -o.
type Format string

// The formats every verb has.
const (
	Text Format = "text"
	JSON Format = "json"
	YAML Format = "yaml"
)

// Set makes Format a flag.
func (f *Format) Set(value string) error {
	formats := []Format{Text, JSON, YAML}
	if !slices.Contains(formats, Format(value)) {
		return fmt.Errorf("must be one of %s, %s, %s", Text, JSON, YAML)
	}
	*f = Format(value)
	return nil
}

// Choice is the value of -o of a verb that has formats beyond those.
type Choice struct {
	Format
	More []Format
}

// Set makes Choice a flag.
func (c *Choice) Set(value string) error {
	if slices.Contains(c.More, Format(value)) {
		c.Format = Format(value)
		return nil
	}
	err := c.Format.Set(value)
	for _, format := range c.More {
		if err != nil {
			err = fmt.Errorf("%w, %s", err, format)
		}
	}
	return err
}

func (f *Format) String() string { return string(*f) }

// Type is shown in the help.
func (f *Format) Type() string { return "format" }

// Object writes value as JSON or YAML.
func Object(w io.Writer, format Format, value any) error {
	if format == YAML {
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// Row is a line of a table, and what is said below it.
type Row struct {
	Cells []string
	Note  string
}

// Table writes aligned columns under a header, within the width of the terminal if
// w is one. Notes stand indented below their row and do not widen a column.
func Table(w io.Writer, header []string, rows []Row) error {
	return Fit(w, Width(w), header, rows)
}

// columns are the widths of the columns.
func columns(header []string, rows []Row) []int {
	widths := make([]int, len(header))
	for _, row := range append([]Row{{Cells: header}}, rows...) {
		for i, cell := range row.Cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func table(w io.Writer, width int, header []string, rows []Row) error {
	widths := columns(header, rows)
	var b strings.Builder
	writeCells(&b, header, widths)
	for _, row := range rows {
		writeCells(&b, row.Cells, widths)
		b.WriteString(below(row.Note, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const gap = 2 // blanks between columns

func writeCells(b *strings.Builder, cells []string, widths []int) {
	var line strings.Builder
	for i, cell := range cells {
		line.WriteString(cell)
		line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+gap))
	}
	b.WriteString(strings.TrimRight(line.String(), " "))
	b.WriteByte('\n')
}
