package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// splitter cuts a stream of YAML into the texts of its documents, and a large List
// into those of its items.
type splitter struct {
	in     *bufio.Reader
	line   int // the number of the line last read
	held   []byte
	pushed []byte // rows to be read once more
	err    error
	large  int   // from how many bytes on a List is cut
	list   *list // being cut; nil: none is
}

func newSplitter(r io.Reader) *splitter {
	return &splitter{in: bufio.NewReader(r), large: large}
}

// piece is the text of a document, or of an item of a List.
type piece struct {
	text []byte
	line int   // that it begins at
	list *list // that it is of; nil: it is a document
	// envelope is what remains of the List without its items.
	envelope bool
}

// next gives a document that holds more than comments, or a part of one. At the end
// it gives io.EOF.
func (s *splitter) next() (piece, error) {
	if s.list != nil {
		return s.nextItem()
	}
	var text []byte
	line, content, small := 0, false, true
	for {
		row, err := s.row()
		if err != nil && len(row) == 0 {
			if content && errors.Is(err, io.EOF) {
				return piece{text: text, line: line}, nil
			}
			return piece{line: s.line}, err
		}
		if content && (isMarker(row, "---") || isMarker(row, "...")) {
			s.hold(row)
			return piece{text: text, line: line}, nil
		}
		if isMarker(row, "...") {
			continue
		}
		if line == 0 {
			line = s.line
		}
		text = append(text, row...)
		content = content || holdsContent(row)
		if small && len(text) > s.large {
			small = false
			if s.cut(text, line) {
				return s.nextItem()
			}
		}
	}
}

// row reads one line with its end, without a byte order mark.
func (s *splitter) row() ([]byte, error) {
	if s.held != nil {
		row := s.held
		s.held = nil
		return row, nil
	}
	if at := bytes.IndexByte(s.pushed, '\n'); at >= 0 {
		row := s.pushed[: at+1 : at+1]
		s.pushed = s.pushed[at+1:]
		s.line++
		return row, nil
	}
	if s.err != nil && len(s.pushed) == 0 {
		return nil, s.err
	}
	row, err := s.rest()
	s.err = err
	if len(row) > 0 {
		s.line++
	}
	if s.line == 1 {
		row = bytes.TrimPrefix(row, []byte("\ufeff"))
	}
	return row, err
}

// rest is a row of the stream, after what is left of the rows to be read once more.
func (s *splitter) rest() ([]byte, error) {
	if len(s.pushed) == 0 {
		return s.in.ReadBytes('\n')
	}
	row := s.pushed
	s.pushed = nil
	return row, s.err
}

func (s *splitter) hold(row []byte) { s.held = row }

// isMarker reports whether a line begins with the marker and ends or goes on
// with white space after it.
func isMarker(row []byte, marker string) bool {
	rest, found := bytes.CutPrefix(row, []byte(marker))
	return found && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

// holdsContent reports whether a line is more than white space, a comment, a
// directive or a bare marker.
func holdsContent(row []byte) bool {
	if isMarker(row, "---") {
		row = row[len("---"):]
	}
	row = bytes.TrimSpace(row)
	return len(row) > 0 && row[0] != '#' && row[0] != '%'
}
