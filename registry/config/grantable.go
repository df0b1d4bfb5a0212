package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	secrets "github.com/wasmtool/wasmtool/hostfuncs/secret"
)

// Grantable returns what a tool with this name is granted on request; the name "" stands for any
// tool. It contains the clock and randomness, the directories of [mounts] and [workspaces], the
// variables of [env], and the permissions that [grants] and [tools] allow. It lacks the permissions
// that they deny.
// Denials for an alias of the tool apply as well. Permissions for an alias are ignored, because the
// author of the tool chooses it.
//
// dirs are the host directories that the caller binds, such as the workspace, by the name of the
// mount. Tools may only read them, unless [mounts] has the name. Secrets are sent only to their
// urls; use [Config.Allow] to grant more.
//
// A variable that is not set is not included; see [Config.Warnings]. Grantable builds a new value
// each time, so use one value for many calls of the tool.
func (c *Config) Grantable(dirs map[string]string, tool string, aliases ...string) capability.Grantable {
	o := capability.Grantable{
		Mounts: make(map[string]capability.Mount), Env: make(map[string]string),
		Clock: true, Random: true, Lines: make(map[capability.Permission]string),
		Protected: c.Protected(),
	}
	for name, dir := range dirs {
		o.Mounts[name] = capability.Mount{Dir: dir, Mode: capability.ModeRead}
	}
	for name, m := range c.mounts {
		o.Mounts[name] = capability.Mount{Dir: m.dir, Mode: m.mode, Workspace: m.workspace}
		note(o.Lines, capability.Kind(m.mode.String()), name, m.source)
	}
	for name, v := range c.env {
		value, ok := v.value, true
		if v.pass {
			value, ok = c.LookupEnv(name)
		}
		if ok {
			o.Env[name] = value
			note(o.Lines, capability.KindEnv, name, v.source)
		}
	}
	c.add(&o, c.grants)
	c.add(&o, c.tools[normalName(tool)].grants)
	for _, alias := range aliases {
		c.add(&o, grants{deny: c.tools[normalName(alias)].grants.deny})
	}
	return o
}

// MountPermissions returns the permissions to read and write mounts that [grants] and [tools] allow
// the named tool, in arbitrary order. They apply to any directory that is bound to the name of a
// mount. A caller that replaces the file's directory must add them again.
func (c *Config) MountPermissions(tool string) []capability.Permission {
	var permissions []capability.Permission
	for _, g := range slices.Concat(c.grants.allow, c.tools[normalName(tool)].grants.allow) {
		if kind := g.permission.Kind(); kind == capability.KindRead || kind == capability.KindWrite {
			permissions = append(permissions, g.permission)
		}
	}
	return permissions
}

// Allow adds permissions to o, which must be a Grantable of c. The permissions come from outside
// the file, such as from flags and remembered answers. Unlike the method Add of Grantable, Allow
// limits secrets to the urls of [secrets], and refuses a secret that the file does not have. The
// error is a *capability.UnboundError, and o is then unchanged.
func (c *Config) Allow(o *capability.Grantable, b capability.Bound, permissions ...capability.Permission) error {
	sum := *o
	for _, p := range permissions {
		if _, included := sum.Secrets[p.Name()]; included || p.Kind() != capability.KindSecret {
			continue
		}
		s, ok := c.secrets[p.Name()]
		if !ok {
			return &capability.UnboundError{Permission: p}
		}
		secrets := map[string]capability.GrantableSecret{p.Name(): {URLs: slices.Clone(s.urls)}}
		maps.Copy(secrets, sum.Secrets) // a new map: another Grantable may share the old one
		sum.Secrets = secrets
	}
	if err := sum.Add(b, permissions...); err != nil {
		return err
	}
	*o = sum
	return nil
}

// add adds permissions from the file, except for variables that are not set and mounts that are
// not bound.
func (c *Config) add(o *capability.Grantable, g grants) {
	permissions := make([]capability.Permission, len(g.allow))
	for i, a := range g.allow {
		permissions[i] = a.permission
	}
	var unbound *capability.UnboundError
	for errors.As(c.Allow(o, capability.Bound{Env: c.LookupEnv}, permissions...), &unbound) {
		permissions = slices.DeleteFunc(permissions, func(p capability.Permission) bool { return p == unbound.Permission })
	}
	for _, a := range g.allow {
		// If the file also denies the permission, Lines has the line of the denial.
		if !slices.Contains(o.Deny, a.permission) {
			o.Lines[a.permission] = a.source
		}
	}
	for _, d := range g.deny {
		o.Deny = append(o.Deny, d.permission)
		o.Lines[d.permission] = d.source
	}
}

// note records the line of a permission.
func note(lines map[capability.Permission]string, kind capability.Kind, name, source string) {
	// NewPermission cannot fail, because the reader accepts only names that form a permission.
	if p, err := capability.NewPermission(kind, name); err == nil {
		lines[p] = source
	}
}

// Warnings returns one line for each granted variable that is not set in this process, and for each
// variable with a secret that is too short to be hidden.
func (c *Config) Warnings() []string {
	lines := make(map[string]string)
	for name, v := range c.env {
		if v.pass {
			lines[name] = v.source
		}
	}
	allowed := slices.Clone(c.grants.allow)
	for _, name := range slices.Sorted(maps.Keys(c.tools)) {
		allowed = append(allowed, c.tools[name].grants.allow...)
	}
	for _, a := range allowed {
		name := a.permission.Name()
		_, given := c.env[name]
		if a.permission.Kind() == capability.KindEnv && !given && lines[name] == "" {
			lines[name] = a.source
		}
	}
	var warnings []string
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if _, set := c.LookupEnv(name); !set {
			warnings = append(warnings, lines[name]+": the variable "+name+" is not set; a tool that asks for it does not run")
		}
	}
	short := func(sources map[string]SecretSource) {
		for _, name := range slices.Sorted(maps.Keys(sources)) {
			value, _ := c.LookupEnv(sources[name].Env)
			if sources[name].Kind == SecretEnv && value != "" && len(value) < secrets.MinScrub {
				warnings = append(warnings, fmt.Sprintf("%s: the secret %s has fewer than %d bytes, so it is not hidden in what servers and tools return", sources[name].Source, name, secrets.MinScrub))
			}
		}
	}
	short(c.SecretSources())
	for _, tenant := range slices.Sorted(maps.Keys(c.tenants)) {
		short(c.tenants[tenant].Secrets)
	}
	return warnings
}
