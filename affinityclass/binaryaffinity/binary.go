package binaryaffinity

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// parseBinary reads an object of words. Any other key in it is an error.
func parseBinary(members []member, at *field.Path) (value Value, errs field.ErrorList) {
	for _, m := range members {
		if !m.reserved() {
			errs = append(errs, stray(m, at))
			continue
		}
		tags, bad := parseTags(m, at)
		errs = append(errs, bad...)
		*value.list(Word(m.name)) = tags
	}
	if len(errs) > 0 {
		return value, errs
	}
	errs = contradictions(value, at)
	value = value.normal()
	if count := value.count(); count > MaxTags {
		errs = append(errs, tooMany(at, count))
	}
	return value, errs
}

func stray(m member, at *field.Path) *field.Error {
	if word := near(m); word != "" {
		return field.Invalid(m.path(at), short(m.name), `is not a word of a binary value; did you mean "`+string(word)+`"?`)
	}
	return field.Invalid(m.path(at), short(m.name), "weights and the words of a binary value cannot be mixed")
}

func parseTags(m member, at *field.Path) (tags []string, errs field.ErrorList) {
	if m.raw.Kind() != '[' {
		return nil, field.ErrorList{field.Invalid(m.path(at), short(string(m.raw)), "must be a list of tags, is "+notation(m.raw))}
	}
	var list []jsontext.Value
	if err := json.Unmarshal(m.raw, &list, jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, field.ErrorList{notJSON(m.path(at))}
	}
	for i, raw := range list {
		tag, bad := parseTag(raw, m.path(at).Index(i))
		if bad != nil {
			errs = append(errs, bad)
			continue
		}
		tags = append(tags, tag)
	}
	return tags, errs
}

func parseTag(raw jsontext.Value, at *field.Path) (string, *field.Error) {
	if raw.Kind() != '"' {
		return "", field.Invalid(at, short(string(raw)), "must be a tag, is "+notation(raw))
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return "", notJSON(at)
	}
	if problems := tagProblems(string(text)); len(problems) > 0 {
		return "", field.Invalid(at, short(string(text)), "is not a tag: "+strings.Join(problems, "; "))
	}
	return string(text), nil
}

// contradictions are tags required with and without: no node could do.
func contradictions(value Value, at *field.Path) (errs field.ErrorList) {
	for i, tag := range value.RequireWithout {
		if slices.Contains(value.RequireWith, tag) {
			errs = append(errs, field.Invalid(at.Child(string(RequireWithout)).Index(i), tag, "the tag is required with and without"))
		}
	}
	return errs
}
