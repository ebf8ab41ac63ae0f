package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shape is as much of JSON Schema as the schemas in docs use.
type shape struct {
	Type                 string
	Ref                  string `json:"$ref"`
	Items                *shape
	Properties           map[string]*shape
	AdditionalProperties json.RawMessage
	Required             []string
	Defs                 map[string]*shape `json:"$defs"`
}

// violations are the ways in which an answer breaks the schema of a verb.
func violations(t *testing.T, verb, answer string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(schemas, verb+".json"))
	if err != nil {
		t.Fatal(err)
	}
	root := &shape{}
	if err := json.Unmarshal(text, root); err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal([]byte(answer), &value); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	v := &validator{root: root}
	v.check(root, value, verb)
	return v.wrong
}

type validator struct {
	root  *shape
	wrong []string
}

func (v *validator) fail(path, format string, values ...any) {
	v.wrong = append(v.wrong, path+": "+fmt.Sprintf(format, values...))
}

func (v *validator) check(s *shape, value any, path string) {
	if s.Ref != "" {
		s = v.root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	if s == nil || !isOf(s.Type, value) {
		v.fail(path, "%v is no %s", value, s.Type)
		return
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			v.check(s.Items, item, fmt.Sprintf("%s[%d]", path, i))
		}
	case map[string]any:
		v.object(s, value, path)
	}
}

func (v *validator) object(s *shape, value map[string]any, path string) {
	for _, name := range s.Required {
		if _, ok := value[name]; !ok {
			v.fail(path, "%s is missing", name)
		}
	}
	for name, field := range value {
		property := s.Properties[name]
		if property == nil && string(s.AdditionalProperties) != "false" {
			property = &shape{}
			if err := json.Unmarshal(s.AdditionalProperties, property); err != nil {
				property = nil
			}
		}
		if property == nil {
			v.fail(path, "%s is not in the schema", name)
			continue
		}
		v.check(property, field, path+"."+name)
	}
}

func isOf(kind string, value any) bool {
	switch value := value.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "integer" && value == math.Trunc(value)
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	default:
		return false
	}
}
