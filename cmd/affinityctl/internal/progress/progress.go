// Package progress tells a waiting terminal how far a long answer is. It writes to
// standard error alone, and nothing where nobody waits: to no file, and not within the
// first second.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Line is one line that is written again and again.
type Line struct {
	w     io.Writer // nil: nobody waits
	due   time.Time
	shown bool
}

const (
	patience = time.Second
	pace     = 200 * time.Millisecond
)

// New makes a Line for w, which is told of nothing unless it is a terminal.
func New(w io.Writer) *Line {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return &Line{}
	}
	return On(w, time.Now())
}

// On makes a Line for someone who has waited since a moment.
func On(w io.Writer, since time.Time) *Line { return &Line{w: w, due: since.Add(patience)} }

const clear = "\r\x1b[K" // to the line's start, and what is on it away

// Say writes the line anew, if it is time.
func (l *Line) Say(format string, values ...any) {
	now := time.Now()
	if l.w == nil || now.Before(l.due) {
		return
	}
	l.due, l.shown = now.Add(pace), true
	fmt.Fprintf(l.w, clear+format, values...)
}

// End takes the line away.
func (l *Line) End() {
	if l.shown {
		fmt.Fprint(l.w, clear)
	}
	l.shown = false
}
