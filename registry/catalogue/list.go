package catalogue

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Info describes a tool of a [Catalogue]. It is a copy.
type Info struct {
	// Spec is the tool's definition. Its Declared includes what the operator declared in
	// Rules.ToolOptions.
	tool.Spec
	// CreatedAt is when the tool was registered. Later updates and replacements do not change it.
	CreatedAt time.Time `json:"created_at"`
	// Disabled is set if the tool was disabled or the operator's policy hides it. A disabled
	// tool cannot be called, and is listed only on request.
	Disabled bool `json:"disabled"`
	// AutoExecute is the operator's setting auto_execute: calls that need an approval only by
	// default run without one.
	AutoExecute bool `json:"auto_execute"`
}

// MarshalJSON writes an object with the fields of the Info and of its Spec. It has also "enabled",
// which is the opposite of Disabled, "timeout" as in "30s", "permissions" as a list of permissions
// such as "read:workspace", and "effects", the possible effects of calls.
func (i Info) MarshalJSON() ([]byte, error) {
	type fields Info // without this method
	return json.Marshal(struct {
		fields
		Enabled     bool               `json:"enabled"`
		Timeout     string             `json:"timeout"`
		Permissions []string           `json:"permissions"`
		Effects     capability.Effects `json:"effects"`
	}{fields(i), !i.Disabled, i.Timeout.String(), append([]string{}, capability.Strings(i.Permissions.List())...), i.Effects()})
}

// Enabled returns the current tools that are not disabled, sorted by name.
func (c *Catalogue) Enabled() []*Tool { return slices.DeleteFunc(c.all(), c.disabled) }

// infoWithOverview is info with the description of [tool.Overviewer] for a caller without a tenant.
func (c *Catalogue) infoWithOverview(t *Tool) Info {
	info := c.info(t)
	if c.hooks.Overview != nil {
		info.Description = cmp.Or(c.hooks.Overview(t), info.Description)
	}
	return info
}

func (c *Catalogue) info(t *Tool) Info {
	spec := t.Spec.Clone()
	if c.hooks.Declared != nil {
		spec.Declared = c.hooks.Declared(spec)
	}
	return Info{Spec: spec, CreatedAt: t.CreatedAt, Disabled: c.disabled(t), AutoExecute: c.hooks.AutoExecute(t)}
}

// Has reports whether a tool has this name or alias, even if it is disabled.
func (c *Catalogue) Has(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.find(name) != nil
}

// Get returns a tool by its name or an alias, even if it is disabled. Errors are the same as for
// [Catalogue.Find].
func (c *Catalogue) Get(name string) (Info, error) {
	t, err := c.Find(name)
	if err != nil {
		return Info{}, err
	}
	return c.infoWithOverview(t), nil
}

// Resolve returns the tools with these names, in the same order. It reports all unknown names in
// one *Error with the code not_found.
func (c *Catalogue) Resolve(names ...string) ([]Info, error) {
	var infos []Info
	var unknown []string
	for _, name := range names {
		info, err := c.Get(name)
		if err != nil {
			var e *tool.Error
			errors.As(err, &e)
			unknown = append(unknown, e.Message)
			continue
		}
		infos = append(infos, info)
	}
	if len(unknown) > 0 {
		return nil, &tool.Error{Code: tool.CodeNotFound, Message: strings.Join(unknown, "; "), Recoverable: true}
	}
	return infos, nil
}

// Filter selects the tools that [Catalogue.List] returns. The zero value selects all enabled
// tools.
type Filter struct {
	// Category and Tag select the tools that have them; empty selects all.
	Category, Tag string
	// Disabled also selects disabled tools.
	Disabled bool
}

func (f Filter) keeps(i Info) bool {
	return (f.Disabled || !i.Disabled) &&
		(f.Category == "" || i.Category == f.Category) &&
		(f.Tag == "" || slices.Contains(i.Tags, f.Tag))
}

// List returns copies of the tools that a filter selects, sorted by name. A dynamic tool has its
// registered definition until it is first used; call [Catalogue.Describe] before List to get full
// definitions.
func (c *Catalogue) List(f Filter) []Info {
	infos := []Info{}
	for _, t := range c.all() {
		if info := c.infoWithOverview(t); f.keeps(info) {
			infos = append(infos, info)
		}
	}
	return infos
}

// Stats counts tools.
type Stats struct {
	// Total is the number of tools, including disabled ones.
	Total int `json:"total"`
	// Disabled is the number of disabled tools.
	Disabled int `json:"disabled"`
	// Categories counts the tools of each category. Tools without a category have the key "".
	Categories map[string]int `json:"categories"`
}

// Stats counts the current tools.
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

// Definition describes a tool for a model.
type Definition struct {
	Name string `json:"name"`
	// Label is the display name.
	Label       string `json:"label"`
	Description string `json:"description"`
	// Parameters is a JSON Schema of the type object.
	Parameters json.RawMessage `json:"parameters"`
}

// Definitions returns the definitions of tools for a model. infos may come from
// [Catalogue.List].
func Definitions(infos []Info) []Definition {
	list := make([]Definition, len(infos))
	for i, info := range infos {
		list[i] = Definition{Name: info.Name, Label: info.Title, Description: info.Description, Parameters: jsonschema.WithoutAliases(info.Parameters)}
	}
	return list
}

// Parameter describes one parameter of a tool for a form. Only the schema has all details.
type Parameter struct {
	Name string `json:"name"`
	// Type is string, number, boolean, object or array, or "any" if several are possible.
	Type        string `json:"type"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	// Enum are the valid values; empty means that the schema does not list them.
	Enum []json.RawMessage `json:"enum,omitempty"`
	// Default is the default value; empty means none.
	Default json.RawMessage `json:"default,omitempty"`
}

// Parameters returns the parameters of a tool in the order of its schema. If there is no such tool,
// it fails with not_found.
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

// formType returns the type of a parameter, ignoring null.
func formType(p jsonschema.Parameter) string {
	types := strings.Split(strings.ReplaceAll(p.Type, "integer", "number"), " or ")
	types = slices.DeleteFunc(types, func(name string) bool { return name == "null" })
	if types = slices.Compact(types); len(types) == 1 {
		return cmp.Or(types[0], "any")
	}
	return "any"
}
