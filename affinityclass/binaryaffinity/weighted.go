package binaryaffinity

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// sign is what is kept of a weight. How large it was multiplied a number of
// neighbours that nobody could know, and is dropped.
type sign int

const (
	negative sign = iota - 1
	zero
	positive
)

// parseWeighted reads an object of tags and weights.
func parseWeighted(members []member, at *field.Path) (value Value, errs field.ErrorList) {
	for _, m := range members {
		weight, bad := parseWeight(m, at)
		if bad != nil {
			errs = append(errs, bad)
			continue
		}
		if problems := tagProblems(m.name); len(problems) > 0 {
			errs = append(errs, field.Invalid(m.path(at), short(m.name), "is not a tag: "+strings.Join(problems, "; ")))
			continue
		}
		switch weight {
		case positive:
			value.PreferWith = append(value.PreferWith, m.name)
		case negative:
			value.PreferWithout = append(value.PreferWithout, m.name)
		case zero:
		}
	}
	if len(members) > MaxTags {
		errs = append(errs, tooMany(at, len(members)))
	}
	return value, errs
}

func parseWeight(m member, at *field.Path) (sign, *field.Error) {
	switch m.raw.Kind() {
	case '0':
		if literal := string(m.raw); isInteger(literal) {
			return signOf(literal), nil
		}
		return zero, field.Invalid(m.path(at), short(string(m.raw)), "a weight must be an integer without fraction and exponent")
	case '"':
		if text, err := jsontext.AppendUnquote(nil, m.raw); err == nil && isInteger(string(text)) {
			return signOf(string(text)), nil
		}
		return zero, field.Invalid(m.path(at), short(string(m.raw)), "a weight written as a string must be digits, with or without a minus")
	case '[':
		if word := near(m); word != "" {
			return zero, field.Invalid(m.path(at), short(m.name), `is not a word of a binary value; did you mean "`+string(word)+`"?`)
		}
	}
	return zero, field.Invalid(m.path(at), short(string(m.raw)), "a weight must be an integer, is "+notation(m.raw))
}

// isInteger says whether text is -?[0-9]+, of any length.
func isInteger(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// signOf is the sign of an integer. Zero may be written with a minus.
func signOf(integer string) sign {
	digits := strings.TrimPrefix(integer, "-")
	switch {
	case strings.Trim(digits, "0") == "":
		return zero
	case digits != integer:
		return negative
	}
	return positive
}
