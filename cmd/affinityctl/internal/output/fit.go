package output

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Width is how many columns of text fit on a line of w; 0 where there is no bound,
// which is so of everything but a terminal.
func Width(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Fit writes a table within a width. One that is wider becomes a block for each
// row, a cell on each line: a terminal would tear names at its edge. The first
// column names the row.
func Fit(w io.Writer, width int, header []string, rows []Row) error {
	if width <= 0 || tableWidth(header, rows) <= width {
		return table(w, width, header, rows)
	}
	label := 0
	for _, name := range header[1:] {
		label = max(label, utf8.RuneCountInString(name))
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintln(&b, row.Cells[0])
		for i, cell := range row.Cells[1:] {
			if cell != "-" {
				lead := fmt.Sprintf("    %-*s  ", label, strings.TrimSpace(header[i+1]))
				b.WriteString(Wrap(lead+cell, width, len(lead)))
			}
		}
		b.WriteString(below(row.Note, width))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// below is a note, of one line or several, as it stands under its row.
func below(note string, width int) string {
	if note == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq("  "+note, "\n") {
		b.WriteString(Wrap(line, width, len(line)-len(strings.TrimLeft(line, " "))+2))
	}
	return b.String()
}

func tableWidth(header []string, rows []Row) int {
	widths := columns(header, rows)
	total := gap * (len(widths) - 1)
	for _, width := range widths {
		total += width
	}
	return total
}

// Wrap breaks a line between words where it would pass the width, and indents what
// follows. A word is never broken: names are copied from here.
func Wrap(line string, width, indent int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line + "\n"
	}
	lead := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var lines []string
	current := lead
	for _, word := range words(line[len(lead):]) {
		full := utf8.RuneCountInString(current)+utf8.RuneCountInString(strings.TrimRight(word, " ")) > width
		if full && strings.TrimSpace(current) != "" {
			lines = append(lines, strings.TrimRight(current, " "))
			current = strings.Repeat(" ", min(indent, width/2))
		}
		current += word
	}
	return strings.Join(append(lines, strings.TrimRight(current, " ")), "\n") + "\n"
}

// words cuts behind blanks, and behind the commas of a list without blanks.
func words(text string) []string {
	var found []string
	for text != "" {
		at := strings.IndexAny(text, " ,")
		if at < 0 {
			return append(found, text)
		}
		found, text = append(found, text[:at+1]), text[at+1:]
	}
	return found
}
