package native

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/wasmtool/wasmtool/registry/internal/definition"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// deriveSchemas sets the schemas that a spec lacks.
func deriveSchemas[In, Out any](spec *tool.Spec) error {
	if len(spec.Parameters) == 0 {
		schema, err := derive(reflect.TypeFor[In]())
		if err != nil {
			return definition.FieldError(spec.Name, "parameters", "parameters: %v; set Spec.Parameters", err)
		}
		loosen(schema)
		if spec.Parameters, err = json.Marshal(schema); err != nil {
			return definition.FieldError(spec.Name, "parameters", "parameters: %v", err)
		}
	}
	switch out := reflect.TypeFor[Out](); {
	case len(spec.Result) > 0:
	case out == reflect.TypeFor[tool.Result](), out.Kind() == reflect.String, out.Kind() == reflect.Interface, out == reflect.TypeFor[json.RawMessage]():
		// The result has no fixed form, so there is no schema.
	default:
		schema, err := derive(out)
		if err != nil {
			return definition.FieldError(spec.Name, "result", "result: %v; set Spec.Result; {} allows any result", err)
		}
		if spec.Result, err = json.Marshal(schema); err != nil {
			return definition.FieldError(spec.Name, "result", "result: %v", err)
		}
	}
	return nil
}

// derive returns the schema of the JSON that encoding/json reads and writes for a type.
func derive(t reflect.Type) (*jsonschema.Schema, error) {
	w := typeWalk{schemas: knownTypes(), seen: make(map[reflect.Type]bool)}
	if err := w.walk(t); err != nil {
		return nil, err
	}
	return jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: w.schemas})
}

// knownTypes returns schemas for types whose JSON differs from their Go kind. The library's own
// schema for these types is missing or wrong.
func knownTypes() map[reflect.Type]*jsonschema.Schema {
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[json.Number]():     {Type: "number"},
		reflect.TypeFor[big.Int]():         {Type: "integer"},
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[slog.Level]():      {Type: "string"},
	}
}

// typeWalk finds types whose JSON does not follow from their Go kind. A schema derived from the
// kind would refuse valid values.
type typeWalk struct {
	schemas map[reflect.Type]*jsonschema.Schema
	seen    map[reflect.Type]bool
}

func (w *typeWalk) walk(t reflect.Type) error {
	if w.schemas[t] != nil || w.seen[t] {
		return nil
	}
	w.seen[t] = true
	if t.Kind() == reflect.Pointer {
		return w.walk(t.Elem())
	}
	switch pointer := reflect.PointerTo(t); { // a pointer to an interface has no methods
	case pointer.Implements(reflect.TypeFor[json.Marshaler]()), pointer.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return fmt.Errorf("the type %v has its own JSON encoding", t)
	case pointer.Implements(reflect.TypeFor[encoding.TextMarshaler]()), pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		w.schemas[t] = &jsonschema.Schema{Type: "string"}
		return nil
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			w.schemas[t] = &jsonschema.Schema{Types: []string{"null", "string"}, ContentEncoding: "base64"}
			return nil
		}
		return w.walk(t.Elem())
	case reflect.Array, reflect.Map:
		return w.walk(t.Elem())
	case reflect.Struct:
		return w.walkFields(t)
	}
	return nil
}

func (w *typeWalk) walkFields(t reflect.Type) error {
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" || !f.IsExported() && !f.Anonymous {
			continue
		}
		if slices.Contains(strings.Split(options, ","), "string") {
			return fmt.Errorf("the field %s of %v is written as a string", f.Name, t)
		}
		if err := w.walk(f.Type); err != nil {
			return err
		}
	}
	return nil
}

// loosen adapts a schema for arguments: unknown fields are dropped with a warning instead of
// failing the call, and null is not accepted as a list.
func loosen(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		s.AdditionalProperties = nil
	}
	for _, kind := range []string{"array", "string"} {
		if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == kind && (s.Items != nil || s.ContentEncoding != "") {
			s.Type, s.Types = kind, nil
		}
	}
	for _, property := range s.Properties {
		loosen(property)
	}
	loosen(s.Items)
	loosen(s.AdditionalProperties)
}
