package registry

import (
	"encoding/json"
	"strings"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
)

// Definition is a tool as a model is told of it.
type Definition struct {
	Name string `json:"name"`
	// Label is its name for people.
	Label       string `json:"label"`
	Description string `json:"description"`
	// Parameters is a JSON Schema of the type object.
	Parameters json.RawMessage `json:"parameters"`
}

// Definitions returns the tools that can be called, by name: none that is switched off or
// taken away by the policy. Dynamic tools are as they were registered until they are used:
// call Describe before.
func (r *Registry) Definitions() []Definition { return definitions(r.List(Filter{})) }

// Definitions is Registry.Definitions for the tenant.
func (t *Tenant) Definitions() []Definition { return definitions(t.List(Filter{})) }

func definitions(infos []Info) []Definition {
	list := make([]Definition, len(infos))
	for i, info := range infos {
		list[i] = Definition{Name: info.Name, Label: info.Title, Description: info.Description, Parameters: info.Parameters}
	}
	return list
}

// Parameter is one parameter of a tool as a form shows it. The schema is the truth; this
// leaves out what it cannot show.
type Parameter struct {
	Name string `json:"name"`
	// Type is string, number, boolean, object or array, or "any" when it can be several of
	// them.
	Type        string `json:"type"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	// Enum are the values that there are; empty when others may do.
	Enum []json.RawMessage `json:"enum,omitempty"`
	// Default is what it is when it is not given; empty when that is nothing.
	Default json.RawMessage `json:"default,omitempty"`
}

// Parameters returns the parameters of a tool in the order of its schema. It fails with
// not_found.
func (r *Registry) Parameters(name string) ([]Parameter, error) {
	e, err := r.resolve(name)
	if err != nil {
		return nil, err
	}
	list := []Parameter{}
	for _, p := range e.schema.Parameters() {
		list = append(list, Parameter{
			Name: p.Name, Type: formType(p), Description: p.Description, Required: p.Required, Enum: p.Enum, Default: p.Default,
		})
	}
	return list, nil
}

// formType is the type of a parameter, null aside.
func formType(p jsonschema.Parameter) string {
	only := ""
	for _, name := range strings.Split(p.Type, " or ") {
		switch {
		case name == "integer":
			name = "number"
		case name == "null":
			continue
		}
		if only != "" && only != name {
			return "any"
		}
		only = name
	}
	if only == "" {
		return "any"
	}
	return only
}
