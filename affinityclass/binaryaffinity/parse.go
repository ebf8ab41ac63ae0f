package binaryaffinity

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The bounds of a value. Tags are counted once per word, weights of zero too.
const (
	MaxBytes = 16 << 10
	MaxTags  = 64
)

// maxErrors is how many errors one value is told; a person mends the first.
const maxErrors = 8

// Parsed is a value and how it was written.
type Parsed struct {
	Value Value
	// Weighted says that the value was written with weights, which are accepted
	// for one more release, and Value is what it was converted to.
	Weighted bool
}

// Path is where a Pod at a path bears its value; nil is the Pod itself.
func Path(pod *field.Path) *field.Path {
	return pod.Child("metadata", "annotations").Key(Annotation)
}

// Of reads the value among a Pod's annotations. A Pod without one asks nothing;
// one with an empty one is malformed.
func Of(annotations map[string]string, at *field.Path) (Parsed, field.ErrorList) {
	text, found := annotations[Annotation]
	if !found {
		return Parsed{}, nil
	}
	return Parse(text, at)
}

// Parse reads a value that stands at a path. What it accepts is all right in
// full; with errors, of which there are at most a few, the value is zero. It
// discriminates on the keys: one of the four words makes the value binary, and
// then nothing else may stand in it. A mix is refused, not guessed.
func Parse(text string, at *field.Path) (Parsed, field.ErrorList) {
	if len(text) > MaxBytes {
		return Parsed{}, field.ErrorList{field.Invalid(at, fmt.Sprintf("%d bytes", len(text)),
			fmt.Sprintf("may not be larger than %d bytes", MaxBytes))}
	}
	members, err := read(text, at)
	if err != nil {
		return Parsed{}, field.ErrorList{err}
	}
	parse, weighted := parseBinary, false
	if len(members) > 0 && !slices.ContainsFunc(members, member.reserved) {
		parse, weighted = parseWeighted, true
	}
	value, errs := parse(members, at)
	errs = append(duplicates(members, at), errs...)
	if len(errs) > 0 {
		return Parsed{}, errs[:min(len(errs), maxErrors)]
	}
	return Parsed{Value: value.normal(), Weighted: weighted}, nil
}

func duplicates(members []member, at *field.Path) (errs field.ErrorList) {
	seen := map[string]bool{}
	for _, m := range members {
		if seen[m.name] {
			errs = append(errs, field.Invalid(m.path(at), short(m.name), "the key stands in the object twice"))
		}
		seen[m.name] = true
	}
	return errs
}

func tooMany(at *field.Path, count int) *field.Error {
	return field.Invalid(at, fmt.Sprintf("%d tags", count), fmt.Sprintf("may not name more than %d tags in all", MaxTags))
}
