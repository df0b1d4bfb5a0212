package agent

import (
	"context"
	"slices"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Tools are the tools of an agent.
type Tools interface {
	// List returns the tools that the agent sees. Dynamic tools have described themselves.
	List(ctx context.Context) []catalogue.Info
	// Start begins a call, which is cancelled when ctx is done.
	Start(ctx context.Context, call tool.Call) tool.Started
	// Forget deletes what is kept about a session of an agent that has ended.
	Forget(session string)
}

// Of returns the tools of a tenant of a registry.
func Of(reg *registry.Registry, tenant string, o registry.TenantOptions) Tools {
	return ofTenant{reg, tenant, reg.Tenant(tenant, o)}
}

type ofTenant struct {
	reg    *registry.Registry
	name   string
	tenant *registry.Tenant
}

func (t ofTenant) List(ctx context.Context) []catalogue.Info {
	_ = t.reg.Tools().Describe(ctx) // a tool that fails keeps its registered definition
	return t.tenant.List(catalogue.Filter{})
}

func (t ofTenant) Start(ctx context.Context, call tool.Call) tool.Started {
	return t.tenant.Start(ctx, call)
}

func (t ofTenant) Forget(session string) { t.reg.ForgetSession(t.name, session) }

// ofInvocation are the tools of the caller of a call. The calls are nested in that call.
type ofInvocation struct {
	reg *registry.Registry
	in  tool.Invocation
}

func (t ofInvocation) List(ctx context.Context) []catalogue.Info {
	_ = t.reg.Tools().Describe(ctx)
	seen := t.in.Tools().Names
	return slices.DeleteFunc(t.reg.Tools().List(catalogue.Filter{}), func(i catalogue.Info) bool {
		return !slices.Contains(seen, i.Name)
	})
}

func (t ofInvocation) Start(ctx context.Context, call tool.Call) tool.Started {
	return t.in.Start(ctx, call)
}

// Forget does nothing: the calls belong to the session of the caller.
func (t ofInvocation) Forget(string) {}
