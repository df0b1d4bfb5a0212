package jsonschema

import (
	"encoding/json"
	"math"
)

// Parameter is one top-level parameter of a tool, for people and forms. The
// schema is the truth; this view leaves out what it can't show.
type Parameter struct {
	Name string
	// Type is a type name of JSON Schema, several joined with " or ", or "any".
	Type        string
	Description string
	Required    bool
	// Default is the value of "default" as written; nil if there is none.
	Default json.RawMessage
	// Enum lists the allowed values as written; nil if any value may do.
	Enum []json.RawMessage
}

// Parameters returns the declared top-level parameters in the order of the
// schema. References are followed; the caller may change what it gets.
func (s *Schema) Parameters() []Parameter {
	fields := s.root.object.fields
	list := make([]Parameter, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		p := Parameter{
			Name: f.name, Type: f.place.types.String(), Description: f.place.description, Required: f.required,
		}
		if f.place.declared != nil {
			p.Default = f.place.declared.appendJSON(nil, math.MaxInt)
		}
		for _, v := range f.place.enum {
			p.Enum = append(p.Enum, v.appendJSON(nil, math.MaxInt))
		}
		list = append(list, p)
	}
	return list
}
