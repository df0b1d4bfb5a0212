package standard

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// TenantOptions returns what [tenants] of an operator's file says about a tenant, for
// registry.Registry.Tenant. New and a Reloader apply the same options to calls that name a tenant
// and come without options. If the file has tenants, but not this one, the error is a *tool.Error
// with the code permission_denied; an invalid rule has the code usage. If the file has no tenants,
// the options change nothing.
func TenantOptions(c *config.Config, name string) (registry.TenantOptions, error) {
	return tenantOptions(c, name, policy.Known{}, nil)
}

// tenantOptions is TenantOptions, and warns about names in rules that are not known, and about
// short secrets.
func tenantOptions(c *config.Config, name string, known policy.Known, onShort func(name string)) (registry.TenantOptions, error) {
	tenants := c.Tenants()
	t, there := tenants[name]
	if !there && len(tenants) > 0 {
		return registry.TenantOptions{}, unknownTenant(name)
	}
	o := registry.TenantOptions{Env: t.Env, Deny: t.Deny, Lines: t.Lines, MaxTimeout: t.MaxTimeout}
	if t.Mounts != nil {
		o.Mounts = make(map[string]capability.Mount)
		for name, dir := range t.Mounts {
			// The mode of the file still applies if it is stricter.
			o.Mounts[name] = capability.Mount{Dir: dir, Mode: capability.ModeWrite}
		}
	}
	if t.Secrets != nil {
		sources, ttls := make(map[string]secret.Source), make(map[string]time.Duration)
		for name, s := range t.Secrets {
			sources[name], ttls[name] = TenantSecret(c, s), c.SecretSources()[name].TTL
		}
		o.Secrets = secret.New(sources, secret.Options{TTLs: ttls, OnShort: onShort})
	}
	if len(t.Rules) == 0 {
		return o, nil
	}
	var err error
	if o.Policy, err = policy.Compile(policy.Config{Rules: t.Rules, Additional: true}, known); err != nil {
		err = (&tool.Error{Code: tool.CodeUsage, Message: "tenants." + name + ": " + err.Error()}).WithCause(err)
	}
	return o, err
}

// allTenants returns the options of each tenant by a function for registry.Rules, or nil if the
// file has no tenants.
func allTenants(c *config.Config, known policy.Known, onShort func(name string)) (func(name string) (registry.TenantOptions, error), error) {
	tenants := c.Tenants()
	if len(tenants) == 0 {
		return nil, nil
	}
	all := make(map[string]registry.TenantOptions)
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		var err error
		if all[name], err = tenantOptions(c, name, known, onShort); err != nil {
			return nil, err
		}
	}
	return func(name string) (registry.TenantOptions, error) {
		o, there := all[name]
		if !there {
			return o, unknownTenant(name)
		}
		return o, nil
	}, nil
}

// PolicyWarnings returns the warnings about the policy of rules that were made from an operator's
// file, and about the rules of its tenants.
func PolicyWarnings(c *config.Config, rules registry.Rules) []policy.Problem {
	warnings := rules.Policy.Warnings()
	if rules.Tenants == nil {
		return warnings
	}
	for _, name := range slices.Sorted(maps.Keys(c.Tenants())) {
		if o, err := rules.Tenants(name); err == nil {
			warnings = append(warnings, o.Policy.Warnings()...)
		}
	}
	return warnings
}

func unknownTenant(name string) error {
	return tool.Errorf(tool.CodePermissionDenied, "the operator's file does not have the tenant %q; only the operator can add it to [tenants]", name)
}

// TenantOf returns the name of the tenant that a user of an authorization server is: the tenant
// whose Subjects have the user's subject, or whose Groups have one of the user's groups. If the
// file has no tenants, each user is the tenant of that subject. The error is a *tool.Error with the
// code permission_denied, for a user who is none of the tenants, or several.
func TenantOf(c *config.Config, subject string, groups []string) (string, error) {
	tenants := c.Tenants()
	if len(tenants) == 0 {
		return subject, nil
	}
	var found []string
	for _, name := range slices.Sorted(maps.Keys(tenants)) {
		t := tenants[name]
		member := func(group string) bool { return slices.Contains(t.Groups, group) }
		if slices.Contains(t.Subjects, subject) || slices.ContainsFunc(groups, member) {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 0:
		return "", tool.Errorf(tool.CodePermissionDenied, "this client is none of the tenants of the operator's file; only the operator can add it to [tenants]")
	case 1:
		return found[0], nil
	}
	return "", tool.Errorf(tool.CodePermissionDenied, "this user belongs to several tenants of the operator's file, %s; only the operator can change that", strings.Join(found, " and "))
}

// TenantSecret returns the source of a secret or token of a tenant of c.
func TenantSecret(c *config.Config, s config.SecretSource) secret.Source {
	if s.Kind == config.SecretFile {
		return secret.FromFile(s.File)
	}
	return secret.FromEnv(s.Env, c.LookupEnv)
}
