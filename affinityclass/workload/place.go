package workload

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// place is a value inside an object; a nil value is one that is not there, and its
// path says where it would be.
type place struct {
	path  string
	value jsontext.Value
}

// text is the value, null when it is not there.
func (p place) text() string {
	if p.value == nil {
		return "null"
	}
	return string(p.value)
}

// child is the place of a path below, for showing: nothing is looked up.
func (p place) child(path string) place {
	if path == "" {
		return p
	}
	return place{path: strings.TrimPrefix(p.path+"."+path, ".")}
}

// first is the first of the paths that is there; else where the last would be, and
// nowhere without paths.
func (p place) first(root place, paths []string) (place, *PathError) {
	var last place
	for _, path := range paths {
		from := p
		if absolute, ok := strings.CutPrefix(path, "/"); ok {
			from, path = root, absolute
		}
		found, err := from.below(path)
		if err != nil {
			return place{}, err
		}
		if len(found) > 0 {
			return found[0], nil
		}
		last = from.child(path)
	}
	return last, nil
}

// below gives every value at the path, in order; none where a part is missing.
func (p place) below(path string) ([]place, *PathError) {
	places := []place{p}
	if path == "" {
		return places, nil
	}
	for step := range strings.SplitSeq(path, ".") {
		var next []place
		for _, each := range places {
			if each.value == nil {
				continue
			}
			found, err := each.step(step)
			if err != nil {
				return nil, err
			}
			next = append(next, found...)
		}
		places = next
	}
	return places, nil
}

// step goes one step of a path.
func (p place) step(step string) ([]place, *PathError) {
	name, each := strings.CutSuffix(step, "[]")
	var fields map[string]jsontext.Value
	if err := json.Unmarshal(p.value, &fields); err != nil {
		return nil, &PathError{Path: p.path, What: "is not an object"}
	}
	if name == "*" {
		var all []place
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			all = append(all, present(p.child(name).path, fields[name])...)
		}
		return all, nil
	}
	found := present(p.child(name).path, fields[name])
	if !each || len(found) == 0 {
		return found, nil
	}
	return found[0].elements()
}

// elements are those of a list.
func (p place) elements() ([]place, *PathError) {
	var elements []jsontext.Value
	if err := json.Unmarshal(p.value, &elements); err != nil {
		return nil, &PathError{Path: p.path, What: "is not a list"}
	}
	var all []place
	for i, element := range elements {
		all = append(all, present(p.path+"["+strconv.Itoa(i)+"]", element)...)
	}
	return all, nil
}

// present is the place if it holds anything: null is nothing.
func present(path string, value jsontext.Value) []place {
	if value == nil || value.Kind() == 'n' {
		return nil
	}
	return []place{{path: path, value: value}}
}
