package registry

import (
	"cmp"
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/pipeline"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tenant is a view of a [Registry] for one tenant. All calls through it belong to this tenant, even
// if Call.Tenant names another tenant, and are restricted by its [TenantOptions]. It is safe for
// concurrent use. A Tenant is cheap; a program may create one for each call.
type Tenant struct {
	r       *Registry
	name    string
	options TenantOptions
}

// Tenant returns a view of the Registry for the tenant with this name.
func (r *Registry) Tenant(name string, o TenantOptions) *Tenant {
	return &Tenant{r: r, name: name, options: o}
}

// ByRules returns a view of the Registry for the tenant with this name, as the Rules restrict it.
// The error is a *[tool.Error] if the Rules have tenants but not this one.
func (r *Registry) ByRules(name string) (*Tenant, error) {
	o, err := r.pipeline.OptionsOf(name)
	if err != nil {
		return nil, err
	}
	return r.Tenant(name, o), nil
}

func (t *Tenant) request(call tool.Call) pipeline.Request {
	call.Tenant = t.name
	return pipeline.Request{Call: call, Options: t.options, Own: true}
}

// Execute is [Registry.Execute] for the tenant.
func (t *Tenant) Execute(ctx context.Context, call tool.Call) (tool.Result, error) {
	return t.r.pipeline.Execute(ctx, t.request(call))
}

// ExecuteAll is [Registry.ExecuteAll] for the tenant.
func (t *Tenant) ExecuteAll(ctx context.Context, calls []tool.Call) []Outcome {
	return t.r.executeAll(ctx, calls, t.request)
}

// Start is [Registry.Start] for the tenant.
func (t *Tenant) Start(ctx context.Context, call tool.Call) *Handle {
	return t.r.pipeline.Start(ctx, t.request(call))
}

// List is [catalogue.Catalogue.List] for the tenant: tools that the tenant's policy hides count as
// disabled. The description of a tool that calls other tools lists those that the tenant may call.
func (t *Tenant) List(f catalogue.Filter) []catalogue.Info {
	infos := t.r.tools.List(f)
	for i := range infos {
		if found, err := t.r.tools.Find(infos[i].Name); err == nil {
			infos[i].Description = cmp.Or(t.r.pipeline.Overview(found, t.name, t.options), infos[i].Description)
		}
		infos[i].Disabled = infos[i].Disabled || !t.options.Sees(infos[i].Spec)
	}
	return slices.DeleteFunc(infos, func(i catalogue.Info) bool { return i.Disabled && !f.Disabled })
}
