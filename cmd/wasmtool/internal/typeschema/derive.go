package typeschema

import (
	"go/ast"
	"slices"
	"strings"
)

// basic has the schemas of Go's own types.
var basic = map[string]string{
	"string": "string", "bool": "boolean", "float32": "number", "float64": "number",
	"int": "integer", "int8": "integer", "int16": "integer", "int32": "integer", "int64": "integer", "rune": "integer",
	"uint": "integer", "uint8": "integer", "uint16": "integer", "uint32": "integer", "uint64": "integer", "byte": "integer",
}

// known has the schemas of types in other packages.
var known = map[string]Schema{
	"time.Time":   {"type": "string", "format": "date-time"},
	"json.Number": {"type": "number"},
	"big.Int":     {"type": "integer"},
}

// schema returns the schema of the JSON that encoding/json reads and writes for a type, or nil for
// a type that says nothing: any, json.RawMessage, or an unknown type of another package.
func (p *source) schema(t ast.Expr) (Schema, error) {
	switch t := t.(type) {
	case *ast.Ident:
		return p.named(t)
	case *ast.StarExpr:
		return p.schema(t.X)
	case *ast.ParenExpr:
		return p.schema(t.X)
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			return known[x.Name+"."+t.Sel.Name], nil
		}
	case *ast.ArrayType:
		if name, ok := t.Elt.(*ast.Ident); ok && t.Len == nil && (name.Name == "byte" || name.Name == "uint8") {
			return Schema{"type": "string", "contentEncoding": "base64"}, nil
		}
		return p.containing("array", "items", t.Elt)
	case *ast.MapType:
		return p.containing("object", "additionalProperties", t.Value)
	case *ast.StructType:
		return p.object(t)
	case *ast.IndexExpr, *ast.IndexListExpr:
		return nil, p.generic(t)
	case *ast.FuncType, *ast.ChanType:
		return nil, p.at(t, "a function or channel cannot be JSON")
	}
	return nil, nil
}

func (p *source) generic(t ast.Expr) error {
	return p.at(t, "no schema is derived from a generic type; write the fields in a type of their own")
}

// containing returns the schema of a list or a map.
func (p *source) containing(kind, key string, element ast.Expr) (Schema, error) {
	inner, err := p.schema(element)
	s := Schema{"type": kind}
	if inner != nil {
		s[key] = inner
	}
	return s, err
}

// named returns the schema of a type with a name.
func (p *source) named(name *ast.Ident) (Schema, error) {
	declared := p.types[name.Name]
	switch {
	case declared == nil && basic[name.Name] != "":
		return Schema{"type": basic[name.Name]}, nil
	case declared == nil || p.own[name.Name+".UnmarshalJSON"] || p.own[name.Name+".MarshalJSON"]:
		return nil, nil
	case p.own[name.Name+".UnmarshalText"] || p.own[name.Name+".MarshalText"]:
		return Schema{"type": "string"}, nil
	case declared.TypeParams != nil:
		return nil, p.generic(name)
	case slices.Contains(p.walk, name.Name):
		return nil, p.at(name, "the type %s contains itself; write its schema in tool.toml, and use any here", name.Name)
	}
	p.walk = append(p.walk, name.Name)
	defer func() { p.walk = p.walk[:len(p.walk)-1] }()
	s, err := p.schema(declared.Type)
	if values := p.enums[name.Name]; len(values) > 0 && s["type"] == "string" {
		s["enum"] = values
	}
	return s, err
}

// object returns the schema of a struct. A field is required unless it is a pointer or has
// omitempty or omitzero. Its comment is its description.
func (p *source) object(t *ast.StructType) (Schema, error) {
	properties, required := Schema{}, []any{}
	for _, f := range t.Fields.List {
		name, options := tag(f)
		if name == "-" && len(options) == 1 {
			continue
		}
		if len(f.Names) == 0 && name == "" { // an embedded struct has its fields here
			inner, err := p.schema(pointee(f.Type))
			if err != nil {
				return nil, err
			}
			more, _ := inner["properties"].(Schema)
			for key, value := range more {
				properties[key] = value
			}
			names, _ := inner["required"].([]any)
			required = append(required, names...)
			continue
		}
		s, err := p.schema(f.Type)
		if err != nil {
			return nil, err
		}
		property := Schema{}
		for key, value := range s {
			property[key] = value
		}
		if slices.Contains(options, "string") {
			property["type"] = "string"
		}
		if text := comment(f); text != "" {
			property["description"] = text
		}
		_, isPointer := f.Type.(*ast.StarExpr)
		optional := isPointer || slices.Contains(options, "omitempty") || slices.Contains(options, "omitzero")
		for _, ident := range fieldNames(f) {
			if !ast.IsExported(ident) {
				continue
			}
			key := name
			if key == "" {
				key = ident
			}
			properties[key] = property
			if !optional {
				required = append(required, key)
			}
		}
	}
	s := Schema{"type": "object", "properties": properties}
	if len(required) > 0 {
		s["required"] = required
	}
	return s, nil
}

// fieldNames returns the names of a field. The name of an embedded field is the name of its type.
func fieldNames(f *ast.Field) []string {
	if len(f.Names) == 0 {
		if name, ok := pointee(f.Type).(*ast.Ident); ok {
			return []string{name.Name}
		}
		return nil
	}
	names := make([]string, len(f.Names))
	for i, n := range f.Names {
		names[i] = n.Name
	}
	return names
}

// comment returns the comment above a field or behind it, in one line.
func comment(f *ast.Field) string {
	text := f.Doc.Text()
	if text == "" {
		text = f.Comment.Text()
	}
	return strings.Join(strings.Fields(text), " ")
}
