package manifest

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/json"
)

// Option changes how a file is read.
type Option func(*Reader)

// DefaultNamespace is what an object without a namespace gets, unless its kind
// is known to be cluster-scoped.
func DefaultNamespace(namespace string) Option {
	return func(r *Reader) { r.namespace = namespace }
}

// Reader reads the objects of one file, a document at a time.
type Reader struct {
	file      string
	namespace string
	split     *splitter
	index     int
	queue     []Document
	err       error
}

// NewReader reads the file that messages call by the name.
func NewReader(name string, in io.Reader, options ...Option) *Reader {
	r := &Reader{file: name, split: newSplitter(in)}
	for _, option := range options {
		option(r)
	}
	return r
}

// Read gives all objects of a file. With an error, an *Error where the file is
// to blame, it gives those before it.
func Read(name string, in io.Reader, options ...Option) ([]Document, error) {
	r := NewReader(name, in, options...)
	var documents []Document
	for {
		document, err := r.Next()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return documents, err
		}
		documents = append(documents, document)
	}
}

// Next gives the next object, and io.EOF after the last. After an error it
// gives that error again.
func (r *Reader) Next() (Document, error) {
	for len(r.queue) == 0 && r.err == nil {
		r.err = r.fill()
	}
	if len(r.queue) == 0 {
		return Document{}, r.err
	}
	document := r.queue[0]
	r.queue = r.queue[1:]
	return document, nil
}

// fill reads one document of the stream. Objects before an error are kept.
func (r *Reader) fill() error {
	text, err := r.NextText()
	if err != nil {
		return NumberError(err, r.index)
	}
	found, err := text.Documents()
	r.queue = append(r.queue, Number(found, r.index)...)
	r.index += len(found)
	return NumberError(err, r.index-len(found))
}

// source is a value that is about to become objects.
type source struct {
	json  []byte
	line  int
	end   int
	lines func() map[int]int // nil within a List: its own line serves
	// What an item of a typed list leaves to the list.
	apiVersion, kind string
}

// add takes the object, or each of a List's.
func (r *parsing) add(s source) error {
	if bytes.Equal(bytes.TrimSpace(s.json), []byte("null")) {
		return nil
	}
	document := Document{File: r.file, Index: len(r.found) + 1, Line: s.line, End: s.end, JSON: s.json}
	if s.json[0] != '{' {
		return document.fail(ErrNotAnObject)
	}
	var h struct {
		head
		Items stdjson.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(s.json, &h); err != nil {
		return document.fail(err)
	}
	if h.APIVersion == "" && h.Kind == "" && s.kind != "" {
		h.APIVersion, h.Kind = s.apiVersion, s.kind
		if err := document.name(s); err != nil {
			return err
		}
	}
	if item, isList := h.itemKind(); isList && (len(h.Items) > 0 || item == "") {
		if h.Metadata.Continue != "" {
			return document.fail(ErrPage)
		}
		return r.list(document, source{json: h.Items, line: s.line, lines: s.lines, apiVersion: h.APIVersion, kind: item})
	}
	if err := document.describe(&h.head, r.namespace); err != nil {
		return err
	}
	r.found = append(r.found, document)
	return nil
}

// list adds the items one by one.
func (r *parsing) list(document Document, s source) error {
	var items []stdjson.RawMessage
	if len(s.json) > 0 {
		if err := stdjson.Unmarshal(s.json, &items); err != nil {
			return document.fail(fmt.Errorf("read the items of a list: %w", err))
		}
	}
	var lines map[int]int
	if s.lines != nil {
		lines = s.lines()
	}
	for i, item := range items {
		line, known := lines[i]
		if !known {
			line = s.line
		}
		if err := r.add(source{json: bytes.TrimSpace(item), line: line, apiVersion: s.apiVersion, kind: s.kind}); err != nil {
			return err
		}
	}
	return nil
}

// name writes into the object the apiVersion and kind that its list gave it.
func (d *Document) name(s source) error {
	var fields map[string]stdjson.RawMessage
	if err := stdjson.Unmarshal(d.JSON, &fields); err != nil {
		return d.fail(err)
	}
	for key, text := range map[string]string{"apiVersion": s.apiVersion, "kind": s.kind} {
		quoted, err := stdjson.Marshal(text)
		if err != nil {
			return d.fail(err)
		}
		fields[key] = quoted
	}
	named, err := stdjson.Marshal(fields)
	if err != nil {
		return d.fail(err)
	}
	d.JSON = named
	return nil
}
