package catalogue

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Info is a tool as the Catalogue shows it: a copy.
type Info struct {
	tool.Spec
	// CreatedAt is when the tool was registered; updating and replacing keep it.
	CreatedAt time.Time `json:"created_at"`
	// Disabled tools are listed on request only and cannot be called: they are switched
	// off, or the operator's policy takes them away.
	Disabled bool `json:"disabled"`
}

func (c *Catalogue) info(t *Tool) Info {
	return Info{Spec: t.Spec.Clone(), CreatedAt: t.CreatedAt, Disabled: c.disabled(t)}
}

// Get returns a tool by its name or an alias, whether or not it is disabled.
func (c *Catalogue) Get(name string) (Info, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t := c.find(name)
	if t == nil {
		return Info{}, false
	}
	return c.info(t), true
}

// Has reports whether there is a tool of that name or alias.
func (c *Catalogue) Has(name string) bool {
	_, ok := c.Get(name)
	return ok
}

// Lookup is Get with a reason: a name that is not there gives the error of Find.
func (c *Catalogue) Lookup(name string) (Info, error) {
	t, err := c.Find(name)
	if err != nil {
		return Info{}, err
	}
	return c.info(t), nil
}

// Resolve returns the tools of these names, in their order. Unknown names are told
// all together in one *Error of the code not_found.
func (c *Catalogue) Resolve(names ...string) ([]Info, error) {
	var infos []Info
	var faults []string
	for _, name := range names {
		info, err := c.Lookup(name)
		if err != nil {
			var e *tool.Error
			errors.As(err, &e)
			faults = append(faults, e.Message)
			continue
		}
		infos = append(infos, info)
	}
	if len(faults) > 0 {
		return nil, &tool.Error{Code: tool.CodeNotFound, Message: strings.Join(faults, "; "), Recoverable: true}
	}
	return infos, nil
}

// Filter says which tools List returns. The zero value means all that are enabled.
type Filter struct {
	// Category and Tag keep the tools that have them; empty keeps all.
	Category, Tag string
	// Disabled includes tools that are switched off or taken away.
	Disabled bool
}

func (f Filter) keeps(i Info) bool {
	return (f.Disabled || !i.Disabled) &&
		(f.Category == "" || i.Category == f.Category) &&
		(f.Tag == "" || slices.Contains(i.Tags, f.Tag))
}

// List returns the tools that a filter keeps, by name. What it returns are copies. Dynamic
// tools are as they were registered until they are used: call Describe before.
func (c *Catalogue) List(f Filter) []Info {
	infos := []Info{}
	for _, t := range c.all() {
		if info := c.info(t); f.keeps(info) {
			infos = append(infos, info)
		}
	}
	return infos
}

// View returns the names of the tools that a caller sees: those that are enabled and that
// sees, which is called under the lock, lets through. It walks over all tools, so that it is
// for calls that ask.
func (c *Catalogue) View(sees func(*Tool) bool) tool.View {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := []string{}
	for _, t := range c.tools {
		if !c.disabled(t) && sees(t) {
			names = append(names, t.Spec.Name)
		}
	}
	shown := min(len(names), tool.MaxView)
	return tool.View{Names: slices.Clone(names[:shown]), More: len(names) - shown}
}

// Stats counts tools.
type Stats struct {
	// Total is the number of tools, with the disabled ones.
	Total int `json:"total"`
	// Disabled is how many of them are switched off.
	Disabled int `json:"disabled"`
	// Categories counts the tools of each category; "" are those without one.
	Categories map[string]int `json:"categories"`
}

// Stats counts the tools as they are now.
func (c *Catalogue) Stats() Stats {
	tools := c.all()
	s := Stats{Total: len(tools), Categories: make(map[string]int)}
	for _, t := range tools {
		s.Categories[t.Spec.Category]++
		if c.disabled(t) {
			s.Disabled++
		}
	}
	return s
}

// Definition is a tool as a model is told of it.
type Definition struct {
	Name string `json:"name"`
	// Label is its name for people.
	Label       string `json:"label"`
	Description string `json:"description"`
	// Parameters is a JSON Schema of the type object.
	Parameters json.RawMessage `json:"parameters"`
}

// Definitions returns tools as a model is told of them, such as those that List returns for
// the zero Filter.
func Definitions(infos []Info) []Definition {
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
func (c *Catalogue) Parameters(name string) ([]Parameter, error) {
	t, err := c.Find(name)
	if err != nil {
		return nil, err
	}
	list := []Parameter{}
	for _, p := range t.Parameters.Parameters() {
		list = append(list, Parameter{
			Name: p.Name, Type: formType(p), Description: p.Description, Required: p.Required, Enum: p.Enum, Default: p.Default,
		})
	}
	return list, nil
}

// formType is the type of a parameter, null aside.
func formType(p jsonschema.Parameter) string {
	types := strings.Split(strings.ReplaceAll(p.Type, "integer", "number"), " or ")
	types = slices.DeleteFunc(types, func(name string) bool { return name == "null" })
	if types = slices.Compact(types); len(types) == 1 {
		return cmp.Or(types[0], "any")
	}
	return "any"
}
