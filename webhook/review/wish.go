package review

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/cozystack/affinityclass/affinityclass/policy"
)

// wish is what a release or an application asks for: a class, and where it says so.
type wish struct {
	class string // empty: none
	field string
	why   string // set: what was written there is not the name of a class
}

// malformed says whether a person has to mend it before anything can be decided.
func (w *wish) malformed() bool { return w.why != "" }

const valuesField = "spec.values.affinityClass"

// readWish reads the class that a release names: in its values, else by the annotation
// for charts that cannot have it there.
func (h *HelmRelease) readWish(v *values) wish {
	w := readClassName(valuesField, v.AffinityClass)
	if w.class != "" || w.malformed() {
		return w
	}
	name := h.Metadata.Annotations[policy.ClassAnnotation]
	return named("metadata.annotations["+policy.ClassAnnotation+"]", name)
}

// readClassName reads a class named in JSON. Absent, null and empty name none.
func readClassName(field string, value jsontext.Value) wish {
	if empty(value) {
		return wish{field: field}
	}
	var name string
	if err := json.Unmarshal(value, &name); err != nil {
		return wish{field: field, why: fmt.Sprintf("it is %s, and has to be a string", kindOf(value))}
	}
	return named(field, name)
}

func named(field, name string) wish {
	w := wish{class: name, field: field}
	if name != "" {
		if why := policy.MalformedName(name); why != "" {
			w.why = fmt.Sprintf("%q is not the name of an AffinityClass: %s", cut(name), why)
		}
	}
	return w
}

// kindOf calls a JSON value by its kind.
func kindOf(value jsontext.Value) string {
	switch value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	default:
		return "a boolean"
	}
}

// readValues reads the two values, once; false when the values are no object.
func (h *HelmRelease) readValues() (v values, object bool) {
	if h.read == nil {
		h.read = &readValues{object: true}
		if !empty(h.Spec.Values) {
			h.read.object = h.Spec.Values.Kind() == '{' && json.Unmarshal(h.Spec.Values, &h.read.values) == nil
		}
	}
	return h.read.values, h.read.object
}

// cut bounds what is repeated of a text that its writer chose.
func cut(text string) string {
	const longest = 100
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
