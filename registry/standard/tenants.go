package standard

import (
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// TenantOptions returns what [tenants] of an operator's file says about a tenant, for
// registry.Registry.Tenant. New and a Reloader apply the same options to calls that name a tenant
// and come without options. If the file has tenants, but not this one, the error is a *tool.Error
// with the code permission_denied. If the file has no tenants, the options change nothing.
func TenantOptions(c *config.Config, name string) (registry.TenantOptions, error) {
	tenants := c.Tenants()
	t, known := tenants[name]
	if !known && len(tenants) > 0 {
		return registry.TenantOptions{}, unknownTenant()
	}
	o := registry.TenantOptions{Env: t.Env, Deny: t.Deny, MaxTimeout: t.MaxTimeout}
	if t.Mounts != nil {
		o.Mounts = make(map[string]capability.Mount)
		for name, dir := range t.Mounts {
			// The mode of the file still applies if it is stricter.
			o.Mounts[name] = capability.Mount{Dir: dir, Mode: capability.ModeWrite}
		}
	}
	if t.Secrets != nil {
		sources := make(map[string]secret.Source)
		for name, s := range t.Secrets {
			sources[name] = TenantSecret(c, s)
		}
		o.Secrets = secret.New(sources, secret.Options{})
	}
	return o, nil
}

func unknownTenant() error {
	return &tool.Error{Code: tool.CodePermissionDenied, Message: "the operator's file does not have this tenant; only the operator can add it to [tenants]"}
}

// TenantSecret returns the source of a secret or token of a tenant of c.
func TenantSecret(c *config.Config, s config.SecretSource) secret.Source {
	if s.Kind == config.SecretFile {
		return secret.FromFile(s.File)
	}
	return secret.FromEnv(s.Env, c.LookupEnv)
}
