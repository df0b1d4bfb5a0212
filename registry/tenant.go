package registry

import (
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/pipeline"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tenant is a Registry as one tenant has it: all its calls are those of the tenant,
// whatever they say, under the tenant's Overlay. It is safe for concurrent use, and as
// many may be made as there are tenants, or calls.
type Tenant struct {
	r       *Registry
	name    string
	overlay TenantOptions
}

// Tenant returns the Registry as the tenant of that name has it.
func (r *Registry) Tenant(name string, o TenantOptions) *Tenant {
	return &Tenant{r: r, name: name, overlay: o}
}

func (t *Tenant) request(call tool.Call) pipeline.Request {
	call.Tenant = t.name
	return pipeline.Request{Call: call, Overlay: t.overlay}
}

// Execute is Registry.Execute for the tenant.
func (t *Tenant) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	return t.r.pipeline.Execute(ctx, t.request(call))
}

// ExecuteAll is Registry.ExecuteAll for the tenant.
func (t *Tenant) ExecuteAll(ctx context.Context, calls []tool.Call) []Outcome {
	return t.r.executeAll(ctx, calls, t.request)
}

// Start is Registry.Start for the tenant.
func (t *Tenant) Start(ctx context.Context, call tool.Call) *Handle {
	return t.r.pipeline.Start(ctx, t.request(call))
}

// List is List of the catalogue without the tools that the tenant's policy takes away; with
// Filter.Disabled they are there and Disabled.
func (t *Tenant) List(f catalogue.Filter) []catalogue.Info {
	infos := t.r.tools.List(f)
	for i := range infos {
		infos[i].Disabled = infos[i].Disabled || !t.overlay.Sees(infos[i].Spec)
	}
	return slices.DeleteFunc(infos, func(i catalogue.Info) bool { return i.Disabled && !f.Disabled })
}
