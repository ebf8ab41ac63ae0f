// Package binary finds the binary affinity values that Pods and Pod templates
// bear, and converts those that are written with weights.
//
// What a value says is binaryaffinity's to know, and where a kind keeps its Pod
// template is workload's. This package opens no file and knows no cluster: its
// callers hand it objects in JSON, and get back the same bytes but for the value.
package binary

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/cozystack/affinityclass/affinityclass/binaryaffinity"
	"github.com/cozystack/affinityclass/affinityclass/workload"
)

// Stored is a value that an object bears.
type Stored struct {
	Pod    string // where the Pod template is, such as spec.template; empty for a Pod
	Path   string // where the value is
	Value  string // as it was written
	Parsed binaryaffinity.Parsed

	from, to int // where it stands in the object
}

// Find reads the value of a Pod or of a Pod template. False says that the object
// bears none. An error is about the object, or about the value, and names the
// path; then the value asks nothing.
func Find(kind schema.GroupKind, object []byte) (Stored, bool, error) {
	var steps []string
	if kind != (schema.GroupKind{Kind: "Pod"}) {
		template, ok, err := workload.Find(kind, object)
		if !ok || err != nil {
			return Stored{}, false, err
		}
		steps = strings.Split(template.Path, ".")
	}
	at := binaryaffinity.Path(path(steps))
	s := Stored{Pod: strings.Join(steps, "."), Path: at.String()}
	raw, end, err := locate(object, append(steps, "metadata", "annotations", binaryaffinity.Annotation))
	if err != nil || raw == nil {
		return s, false, err
	}
	s.from, s.to = end-len(raw), end
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return s, true, fmt.Errorf("%s: must be a string", s.Path)
	}
	s.Value = string(text)
	s.Parsed, err = Parse(s.Value, at)
	return s, true, err
}

// Parse reads a value; the error has all that is wrong with it.
func Parse(text string, at *field.Path) (binaryaffinity.Parsed, error) {
	parsed, errs := binaryaffinity.Parse(text, at)
	return parsed, errs.ToAggregate()
}

// Converted is the object with the value written without weights. Nothing else
// of it changes.
func (s Stored) Converted(object []byte) ([]byte, error) {
	text, err := jsontext.AppendQuote(nil, s.Parsed.Value.String())
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{object[:s.from], text, object[s.to:]}, nil), nil
}

func path(steps []string) *field.Path {
	if len(steps) == 0 {
		return nil
	}
	return field.NewPath(steps[0], steps[1:]...)
}

var errNotObject = errors.New("is not an object")

// locate is the value at the end of the steps and where it ends; nil when one of
// them is not there.
func locate(object []byte, steps []string) (jsontext.Value, int, error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(object))
	for i, step := range steps {
		if decoder.PeekKind() == 'n' && i > 0 { // as good as left out
			return nil, 0, nil
		}
		if found, err := enter(decoder, step); err != nil {
			return nil, 0, fmt.Errorf("%s: %w", strings.Join(steps[:i], "."), err)
		} else if !found {
			return nil, 0, nil
		}
	}
	raw, err := decoder.ReadValue()
	return raw.Clone(), int(decoder.InputOffset()), err
}

// enter goes into an object up to the value of a member, if it has that.
func enter(decoder *jsontext.Decoder, member string) (bool, error) {
	start, err := decoder.ReadToken()
	if err != nil {
		return false, err
	}
	if start.Kind() != '{' {
		return false, errNotObject
	}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return false, err
		}
		if name.String() == member {
			return true, nil
		}
		if err := decoder.SkipValue(); err != nil {
			return false, err
		}
	}
	return false, nil
}
