package workload

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Template is a Pod template inside an object.
type Template struct {
	Path string // such as spec.template
	JSON []byte // metadata and spec, as in a Pod
}

// PathError says that an object of a known kind has no Pod template where its
// kind keeps it.
type PathError struct {
	Kind schema.GroupKind
	Path string
	What string // what is wrong with the value at Path
}

func (e *PathError) Error() string {
	return fmt.Sprintf("%s: %s %s", e.Kind.Kind, e.Path, e.What)
}

// path is where a kind keeps its Pod template; empty when the kind has none.
// Source: the API types of k8s.io/api, groups core, apps and batch.
func path(kind schema.GroupKind) string {
	switch kind {
	case schema.GroupKind{Group: "apps", Kind: "Deployment"},
		schema.GroupKind{Group: "apps", Kind: "StatefulSet"},
		schema.GroupKind{Group: "apps", Kind: "DaemonSet"},
		schema.GroupKind{Group: "apps", Kind: "ReplicaSet"},
		schema.GroupKind{Group: "batch", Kind: "Job"},
		schema.GroupKind{Kind: "ReplicationController"}:
		return "spec.template"
	case schema.GroupKind{Group: "batch", Kind: "CronJob"}:
		return "spec.jobTemplate.spec.template"
	case schema.GroupKind{Kind: "PodTemplate"}:
		return "template"
	default:
		return ""
	}
}

// Find returns the Pod template of an object given as JSON; false when its kind
// has none. The error is a *PathError when the kind should have one.
func Find(kind schema.GroupKind, object []byte) (Template, bool, error) {
	at := path(kind)
	if at == "" {
		return Template{}, false, nil
	}
	value := jsontext.Value(object)
	fields := strings.Split(at, ".")
	for i, field := range fields {
		next, what := member(value, field)
		if what != "" {
			return Template{}, false, &PathError{Kind: kind, Path: strings.Join(fields[:i+1], "."), What: what}
		}
		value = next
	}
	return Template{Path: at, JSON: value}, true, nil
}

// member is the object under a field, or what is wrong with it.
func member(value jsontext.Value, field string) (jsontext.Value, string) {
	var object map[string]jsontext.Value
	if err := json.Unmarshal(value, &object); err != nil {
		return nil, "cannot be read: its parent is not an object"
	}
	next, ok := object[field]
	switch {
	case !ok:
		return nil, "is missing"
	case next.Kind() != '{':
		return nil, "is not an object"
	default:
		return next, ""
	}
}
