package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cozystack/affinityclass/affinityclass/placement"
)

// whatIf are the priorities asked for, by NAME or kind/NAME.
type whatIf struct {
	priorities map[string]int64
	used       map[string]bool
}

func priorities(flags []string) (*whatIf, error) {
	w := &whatIf{map[string]int64{}, map[string]bool{}}
	for _, flag := range flags {
		object, number, ok := strings.Cut(flag, "=")
		value, err := strconv.ParseInt(number, 10, 32)
		if !ok || object == "" || err != nil {
			return nil, fmt.Errorf("--priority %q is not OBJECT=NUMBER", flag)
		}
		w.priorities[fold(object)] = value
	}
	return w, nil
}

// fold makes the kind of KIND/NAME lower case; kubectl does not mind either.
func fold(object string) string {
	kind, name, ok := strings.Cut(object, "/")
	if !ok {
		return object
	}
	return strings.ToLower(kind) + "/" + name
}

func (w *whatIf) apply(kind, name string, requests []*placement.Request) []*placement.Request {
	for _, key := range []string{strings.ToLower(kind) + "/" + name, name} {
		value, ok := w.priorities[key]
		if !ok {
			continue
		}
		w.used[key] = true
		for i := range requests {
			requests[i] = requests[i].WithPriority(value)
		}
		break
	}
	return requests
}

// unused refuses a priority of what is not in the files: a slip of the pen must
// not look like an answer.
func (w *whatIf) unused() error {
	for _, key := range slices.Sorted(maps.Keys(w.priorities)) {
		if !w.used[key] {
			return fmt.Errorf("--priority %s: no such object in the files", key)
		}
	}
	return nil
}
