package manifest

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonItems are the items of a List in JSON, read one by one.
type jsonItems struct {
	decoder *json.Decoder
	from    io.Reader // what the decoder reads, through lines
	lines   *newlines
	rest    map[string]json.RawMessage // the other fields of the List
	inside  bool                       // items may follow
}

// newlines counts those that pass, by where they stand.
type newlines struct {
	in     io.Reader
	offset int64
	ahead  []int64 // offsets of those that nobody has asked for yet
	passed int
}

func (n *newlines) Read(into []byte) (int, error) {
	read, err := n.in.Read(into)
	for at, b := range into[:read] {
		if b == '\n' {
			n.ahead = append(n.ahead, n.offset+int64(at))
		}
	}
	n.offset += int64(read)
	return read, err
}

// before counts the newlines before an offset, which never goes back.
func (n *newlines) before(offset int64) int {
	for len(n.ahead) > 0 && n.ahead[0] < offset {
		n.ahead = n.ahead[1:]
		n.passed++
	}
	return n.passed
}

// cutJSON is cut for a List in JSON, of any form.
func (s *splitter) cutJSON(text []byte, line int) bool {
	if s.err != nil && !errors.Is(s.err, io.EOF) {
		return false
	}
	try := newJSONItems(bytes.NewReader(text))
	if !try.open() { // nothing has been taken of the stream yet
		return false
	}
	outer := list{line: line, json: newJSONItems(io.MultiReader(bytes.NewReader(text), s.in))}
	if kind, known := try.text("kind"); known {
		var isList bool
		if outer.itemKind, isList = (&head{Kind: kind}).itemKind(); !isList {
			return false
		}
		outer.apiVersion, _ = try.text("apiVersion")
	}
	s.list = &outer
	return outer.json.open()
}

func newJSONItems(in io.Reader) *jsonItems {
	lines := &newlines{in: in}
	return &jsonItems{decoder: json.NewDecoder(lines), from: in, lines: lines, rest: map[string]json.RawMessage{}}
}

// open reads up to the first item; false when there is no such place.
func (j *jsonItems) open() bool {
	if token, err := j.decoder.Token(); err != nil || token != json.Delim('{') {
		return false
	}
	if found, err := j.fields(); err != nil || !found {
		return false
	}
	token, err := j.decoder.Token()
	j.inside = err == nil && token == json.Delim('[')
	return j.inside
}

// fields reads fields up to items, and says whether it came to them.
func (j *jsonItems) fields() (bool, error) {
	for j.decoder.More() {
		name, err := j.decoder.Token()
		if err != nil {
			return false, err
		}
		if name == "items" {
			return true, nil
		}
		var value json.RawMessage
		if err := j.decoder.Decode(&value); err != nil {
			return false, err
		}
		j.rest[fmt.Sprint(name)] = value
	}
	return false, nil
}

func (j *jsonItems) text(field string) (string, bool) {
	var text string
	value, there := j.rest[field]
	return text, there && json.Unmarshal(value, &text) == nil
}

// nextJSON gives the next item and, after the last, what remains of the List.
func (s *splitter) nextJSON() (piece, error) {
	j := s.list.json
	if j.inside && j.decoder.More() {
		var item json.RawMessage
		if err := j.decoder.Decode(&item); err != nil {
			return s.failJSON(err)
		}
		start := j.decoder.InputOffset() - int64(len(item))
		return piece{text: item, line: s.list.line + j.lines.before(start), list: s.list}, nil
	}
	j.inside = false
	if err := j.close(); err != nil {
		return s.failJSON(err)
	}
	return s.closeJSON()
}

var errTwoItems = errors.New("the field items is there twice")

// close reads from the end of the items to that of the List.
func (j *jsonItems) close() error {
	if _, err := j.decoder.Token(); err != nil {
		return err
	}
	if again, err := j.fields(); err != nil || again {
		return cmp.Or(err, errTwoItems)
	}
	_, err := j.decoder.Token()
	return err
}

// failJSON ends the cutting with an error and its line. The stream must not end
// inside of the List.
func (s *splitter) failJSON(err error) (piece, error) {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	s.err = err
	return piece{line: s.list.line + s.list.json.lines.before(s.list.json.decoder.InputOffset())}, err
}

// closeJSON ends the cutting: the stream goes on where the List ends.
func (s *splitter) closeJSON() (piece, error) {
	l := s.list
	j := l.json
	j.rest["items"] = json.RawMessage("[]")
	text, err := json.Marshal(j.rest)
	if err != nil {
		return s.failJSON(err)
	}
	s.line = l.line + j.lines.before(j.decoder.InputOffset()) - 1 // what remains of its last row is read as one
	s.in = bufio.NewReader(io.MultiReader(j.decoder.Buffered(), j.from))
	s.list, s.err = nil, nil // the stream tells its end again
	return piece{text: text, line: l.line, list: l, envelope: true}, nil
}
