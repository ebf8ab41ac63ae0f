package manifest

import (
	"errors"
	"fmt"
	"io"
)

// Text is one document of a stream that has not been read yet: reading it is most
// of the work, and can be done beside that of others.
type Text struct {
	file, namespace string
	piece
}

// NextText gives the next document of the stream, and io.EOF after the last. Who
// uses it does not use Next.
func (r *Reader) NextText() (Text, error) {
	piece, err := r.split.next()
	if errors.Is(err, io.EOF) {
		return Text{}, io.EOF
	}
	if err != nil {
		return Text{}, &Error{File: r.file, Index: 1, Line: piece.line, Err: fmt.Errorf("read: %w", err)}
	}
	return Text{file: r.file, namespace: r.namespace, piece: piece}, nil
}

// Documents reads the objects of the text. They, and the error, count from 1: see
// Number. With an error it gives those before it.
func (t Text) Documents() ([]Document, error) {
	p := &parsing{file: t.file, namespace: t.namespace}
	found, at, err := values(t.text)
	if err != nil {
		return nil, &Error{File: t.file, Index: 1, Line: t.line + at, Err: err}
	}
	for _, each := range found {
		lines := func() map[int]int { return shift(each.lines(), t.line) }
		from := source{json: each.json, line: t.line + each.line, end: t.line + each.end, lines: lines}
		if t.list != nil && !t.envelope {
			from.apiVersion, from.kind = t.list.apiVersion, t.list.itemKind
		}
		if err := p.add(from); err != nil {
			return p.found, err
		}
	}
	if t.envelope && len(p.found) > 0 {
		return nil, p.found[0].fail(ErrNoList)
	}
	return p.found, nil
}

// parsing is what has been read of a text so far.
type parsing struct {
	file, namespace string
	found           []Document
}

// Number counts the documents on from those before them in their file.
func Number(documents []Document, before int) []Document {
	for i := range documents {
		documents[i].Index += before
	}
	return documents
}

// NumberError does the same for an error of Documents.
func NumberError(err error, before int) error {
	var where *Error
	if errors.As(err, &where) {
		where.Index += before
	}
	return err
}

func shift(lines map[int]int, by int) map[int]int {
	for item := range lines {
		lines[item] += by
	}
	return lines
}
