package manifest

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// splitter cuts a stream of YAML into the texts of its documents.
type splitter struct {
	in   *bufio.Reader
	line int // the number of the line last read
	held []byte
	err  error
}

func newSplitter(r io.Reader) *splitter {
	return &splitter{in: bufio.NewReader(r)}
}

// next gives the text of a document that holds more than comments, and the line
// that it begins at. At the end it gives io.EOF.
func (s *splitter) next() (text []byte, line int, err error) {
	content := false
	for {
		row, err := s.row()
		if err != nil && len(row) == 0 {
			if content && errors.Is(err, io.EOF) {
				return text, line, nil
			}
			return nil, s.line, err
		}
		if content && (isMarker(row, "---") || isMarker(row, "...")) {
			s.hold(row)
			return text, line, nil
		}
		if isMarker(row, "...") {
			continue
		}
		if line == 0 {
			line = s.line
		}
		text = append(text, row...)
		content = content || holdsContent(row)
	}
}

// row reads one line with its end, without a byte order mark.
func (s *splitter) row() ([]byte, error) {
	if s.held != nil {
		row := s.held
		s.held = nil
		return row, nil
	}
	if s.err != nil {
		return nil, s.err
	}
	row, err := s.in.ReadBytes('\n')
	s.err = err
	if len(row) > 0 {
		s.line++
	}
	if s.line == 1 {
		row = bytes.TrimPrefix(row, []byte("\ufeff"))
	}
	return row, err
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
