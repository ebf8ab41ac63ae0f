package binaryaffinity

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// member is a key of the object and its value as written.
type member struct {
	name string
	raw  jsontext.Value
}

func (m member) reserved() bool { return slices.Contains(Words(), Word(m.name)) }

func (m member) path(at *field.Path) *field.Path {
	if m.reserved() {
		return at.Child(m.name)
	}
	return at.Key(short(m.name))
}

// notation says what kind of JSON value something is, as a person would.
func notation(raw jsontext.Value) string {
	switch raw.Kind() {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "not JSON"
}

// read takes an object apart, keys in order and repeated ones too.
func read(text string, at *field.Path) ([]member, *field.Error) {
	decoder := jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowDuplicateNames(true))
	if text == "" {
		return nil, field.Invalid(at, "", "must be a JSON object, is empty; to ask nothing, leave the annotation out")
	}
	if kind := decoder.PeekKind(); kind != '{' {
		return nil, notObject(decoder, at)
	}
	members, err := readMembers(decoder, at)
	if err != nil {
		return nil, err
	}
	if rest := strings.TrimLeft(text[decoder.InputOffset():], " \t\r\n"); rest != "" {
		return nil, field.Invalid(at, short(rest), "nothing may follow the JSON object")
	}
	return members, nil
}

func notObject(decoder *jsontext.Decoder, at *field.Path) *field.Error {
	raw, err := decoder.ReadValue()
	if err != nil {
		return notJSON(at)
	}
	return field.Invalid(at, short(string(raw)), "must be a JSON object, is "+notation(raw))
}

func readMembers(decoder *jsontext.Decoder, at *field.Path) (members []member, bad *field.Error) {
	if _, err := decoder.ReadToken(); err != nil {
		return nil, notJSON(at)
	}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil || name.Kind() != '"' {
			return nil, notJSON(at)
		}
		m := member{name: name.String()}
		raw, err := decoder.ReadValue()
		if err != nil {
			return nil, notJSON(m.path(at))
		}
		m.raw = raw.Clone()
		members = append(members, m)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, notJSON(at)
	}
	return members, nil
}

func notJSON(at *field.Path) *field.Error {
	return &field.Error{Type: field.ErrorTypeInvalid, Field: at.String(), BadValue: field.OmitValueType{}, Detail: "is not JSON"}
}

// short cuts what strangers wrote to what a message can bear.
func short(text string) string {
	const most = 64
	if len(text) <= most {
		return text
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "..."
}
