package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"strings"
)

// schemaWriter describes Go types as their JSON is.
type schemaWriter struct {
	defs map[string]any
	told comments
}

func (w *schemaWriter) of(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return w.of(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": w.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": w.of(t.Elem())}
	case reflect.Struct:
		name := path.Base(t.PkgPath()) + "." + t.Name()
		if _, known := w.defs[name]; !known {
			w.defs[name] = nil // it may hold itself
			w.defs[name] = w.object(t)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	default:
		return map[string]any{"type": "string"}
	}
}

func (w *schemaWriter) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	w.fields(t, properties, &required)
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
}

func (w *schemaWriter) fields(t reflect.Type, properties map[string]any, required *[]string) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported() && !field.Anonymous:
			continue
		case field.Anonymous && name == "":
			w.fields(field.Type, properties, required)
			continue
		}
		schema := w.of(field.Type)
		if said := w.told.of(t, field.Name); said != "" {
			schema["description"] = said
		}
		properties[name] = schema
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

// comments are those on the fields of types, by package, type and field.
type comments map[string]map[string]string

const module = "github.com/cozystack/affinityclass/"

// of gives the comment; none for a type of another module or of no name.
func (c comments) of(t reflect.Type, field string) string {
	dir, ours := strings.CutPrefix(t.PkgPath(), module)
	if !ours || t.Name() == "" {
		return ""
	}
	if _, read := c[dir]; !read {
		c[dir] = map[string]string{}
		files, _ := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err == nil {
				c.read(dir, file)
			}
		}
	}
	return c[dir][t.Name()+"."+field]
}

func (c comments) read(dir string, file *ast.File) {
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		object, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range object.Fields.List {
			said := field.Comment.Text() + field.Doc.Text()
			for _, name := range field.Names {
				c[dir][spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(withoutMarkers(said)), " ")
			}
		}
		return true
	})
}

// withoutMarkers leaves out the lines that are for generators.
func withoutMarkers(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "+") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
