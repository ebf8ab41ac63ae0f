package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// width in which sentences are set; the output of commands is left as it is.
const width = 78

// screen is what the audience looks at.
type screen struct {
	out               io.Writer
	bold, faint, done string // escape sequences; empty without colour
}

// newScreen uses colour only on a terminal that wants it.
func newScreen(out io.Writer) screen {
	s := screen{out: out}
	file, ok := out.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return s
	}
	if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		s.bold, s.faint, s.done = "\x1b[1m", "\x1b[36m", "\x1b[0m"
	}
	return s
}

func (s screen) title(text string) {
	fmt.Fprintf(s.out, "\n%s== %s%s\n", s.bold, text, s.done)
}

// says sets a sentence as a comment of a shell.
func (s screen) says(text string) {
	fmt.Fprintln(s.out)
	for _, line := range wrap(text, width-len("# ")) {
		fmt.Fprintf(s.out, "%s# %s%s\n", s.faint, line, s.done)
	}
}

func (s screen) command(text string) {
	fmt.Fprintf(s.out, "%s$ %s%s\n", s.bold, text, s.done)
}

func (s screen) plain(text string) { fmt.Fprintln(s.out, strings.TrimRight(text, "\n")) }

func wrap(text string, columns int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > columns:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
