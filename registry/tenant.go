package registry

import (
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tenant is a Registry as one tenant has it: all its calls are those of the tenant,
// whatever they say, under the tenant's Overlay. It is safe for concurrent use, and as
// many may be made as there are tenants, or calls.
type Tenant struct {
	r       *Registry
	name    string
	overlay Overlay
}

// Tenant returns the Registry as the tenant of that name has it.
func (r *Registry) Tenant(name string, o Overlay) *Tenant {
	return &Tenant{r: r, name: name, overlay: o}
}

// Execute is Registry.Execute for the tenant.
func (t *Tenant) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	call.Tenant = t.name
	return t.r.execute(ctx, call, t.overlay)
}

// ExecuteAll is Registry.ExecuteAll for the tenant.
func (t *Tenant) ExecuteAll(ctx context.Context, calls []tool.Call) []Outcome {
	own := slices.Clone(calls)
	for i := range own {
		own[i].Tenant = t.name
	}
	return t.r.executeAll(ctx, own, t.overlay)
}

// Start is Registry.Start for the tenant.
func (t *Tenant) Start(ctx context.Context, call tool.Call) *Handle {
	call.Tenant = t.name
	return t.r.start(ctx, &execution{call: call, overlay: t.overlay})
}

// List is List of the catalogue without the tools that the tenant's policy takes away; with
// Filter.Disabled they are there and Disabled.
func (t *Tenant) List(f catalogue.Filter) []catalogue.Info {
	infos := t.r.tools.List(f)
	if t.overlay.Policy == nil {
		return infos
	}
	for i := range infos {
		if visible, _ := t.overlay.Policy.Visible(factsOf(infos[i].Spec)); !visible {
			infos[i].Disabled = true
		}
	}
	return slices.DeleteFunc(infos, func(i catalogue.Info) bool { return i.Disabled && !f.Disabled })
}
