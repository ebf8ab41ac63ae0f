package manifest

import (
	"bytes"
	"errors"
	"io"

	"sigs.k8s.io/yaml"
)

// large is from how many bytes on a List is cut into its items as it is read. Below
// it a document is read as a whole, so that aliases may lead from item to item.
const large = 1 << 20

// list is a List that is being cut: in YAML in the form in which kubectl prints it,
// items: at the first column and each item from a dash on, in JSON in any.
type list struct {
	dash int // the column of the dashes
	// What its items take from it, where it says so before them.
	apiVersion, itemKind string

	head, tail []byte // what stands before and after the items
	line       int    // where it begins
	ended      bool   // no item follows

	json *jsonItems // of a List in JSON, instead of the above
}

var itemsRow = []byte("items:")

// cut makes the text, which begins at the line, the beginning of a List that is cut;
// false when it is none.
func (s *splitter) cut(text []byte, line int) bool {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return s.cutJSON(text, line)
	}
	before, items, ok := aroundItems(text)
	if !ok {
		return false
	}
	var h struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if yaml.Unmarshal(before, &h) != nil {
		return false
	}
	outer := list{dash: bytes.IndexByte(firstContent(items), '-'), head: before, line: line, apiVersion: h.APIVersion}
	if outer.dash < 0 || !outer.starts(firstContent(items)) {
		return false
	}
	if h.Kind != "" {
		var isList bool
		if outer.itemKind, isList = (&head{Kind: h.Kind}).itemKind(); !isList {
			return false
		}
	}
	s.list = &outer
	s.line = line + bytes.Count(before, []byte("\n"))
	s.pushed = items
	return true
}

// aroundItems parts the rows before the one that says items: from those after it.
func aroundItems(text []byte) (before, items []byte, ok bool) {
	for rest := text; len(rest) > 0; {
		row := rest
		if at := bytes.IndexByte(rest, '\n'); at >= 0 {
			row = rest[:at+1]
		}
		rest = rest[len(row):]
		if bytes.Equal(bytes.TrimRight(row, " \t\r\n"), itemsRow) {
			return text[:len(text)-len(rest)-len(row)], rest, true
		}
	}
	return nil, nil, false
}

// firstContent is the first row that holds anything.
func firstContent(text []byte) []byte {
	for row := range bytes.Lines(text) {
		if holdsContent(row) {
			return row
		}
	}
	return nil
}

// starts says whether an item starts with the row.
func (l *list) starts(row []byte) bool {
	if len(row) <= l.dash+1 || row[l.dash] != '-' || len(bytes.TrimLeft(row[:l.dash], " ")) > 0 {
		return false
	}
	return bytes.IndexByte([]byte(" \t\r\n"), row[l.dash+1]) >= 0
}

// ends says whether the row stands after the items: it begins at the first column.
func (l *list) ends(row []byte) bool {
	return !l.starts(row) && bytes.IndexByte([]byte(" \t\r\n#"), row[0]) < 0
}

// item is the text of an item as a document: without its dash.
func (l *list) item(text []byte, line int) piece {
	text[l.dash] = ' '
	return piece{text: text, line: line, list: l}
}

// nextItem gives the next item and, after the last, what remains of the List.
func (s *splitter) nextItem() (piece, error) {
	if s.list.json != nil {
		return s.nextJSON()
	}
	var text []byte
	line := 0
	for !s.list.ended {
		row, err := s.row()
		if err != nil && len(row) == 0 {
			if s.list.ended = true; errors.Is(err, io.EOF) {
				break
			}
			return piece{line: s.line}, err
		}
		switch {
		case isMarker(row, "---") || isMarker(row, "..."):
			s.hold(row)
			s.list.ended = true
		case len(s.list.tail) > 0 || s.list.ends(row):
			s.list.tail = append(s.list.tail, row...)
			if len(text) > 0 {
				return s.list.item(text, line), nil
			}
		case s.list.starts(row) && len(text) > 0:
			s.hold(row)
			return s.list.item(text, line), nil
		case s.list.starts(row):
			text, line = append(text, row...), s.line
		case len(text) > 0:
			text = append(text, row...)
		}
	}
	if len(text) > 0 {
		return s.list.item(text, line), nil
	}
	return s.envelope(), nil
}

// envelope ends the cutting.
func (s *splitter) envelope() piece {
	l := s.list
	s.list = nil
	text := append(append(append([]byte{}, l.head...), "items: []\n"...), l.tail...)
	return piece{text: text, line: l.line, list: l, envelope: true}
}
