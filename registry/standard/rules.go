package standard

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/each"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Rules returns the rules that o defines for the tools of a Registry: grants, policy, pinned and
// revoked digests. A server that reads its operator's file again passes them to Registry.SetRules.
// The error is a *tool.Error with the code usage, if the policy has an invalid entry.
func Rules(o Options, tools *registry.Registry) (registry.Rules, error) {
	return rulesFor(o, specsOf(tools))
}

// specsOf returns all tools of a Registry, including disabled ones.
func specsOf(tools *registry.Registry) []tool.Spec {
	return each.Of(tools.Tools().List(catalogue.Filter{Disabled: true}), func(info catalogue.Info) tool.Spec { return info.Spec })
}

// rulesFor returns the rules for these tools, and for tools that the file names and that may be
// added later.
func rulesFor(o Options, specs []tool.Spec) (registry.Rules, error) {
	file, rules := o.config(), o.Registry.Rules
	if rules.Policy != nil {
		return rules, &tool.Error{Code: tool.CodeUsage, Message: "Registry.Rules.Policy is built from Config and Policy; leave it nil"}
	}
	rules.Grantable, rules.ToolGrantables = o.grantableFor(tool.Spec{}), make(map[string]capability.Grantable)
	rules.Extend = func(offer *capability.Grantable, permissions ...capability.Permission) error {
		return file.Allow(offer, capability.Bound{Env: file.LookupEnv}, permissions...)
	}
	rules.AllowLines, rules.ShellLines = file.AllowLines, file.ShellLines
	rules.AskOutside = rules.AskOutside || file.PolicyConfig().AskOutside || o.Policy.AskOutside
	rules.Digests = file.Digests()
	for name, digest := range o.Registry.Rules.Digests {
		if _, pinned := rules.Digests[name]; !pinned {
			rules.Digests[name] = digest
		}
	}
	given := rules.ToolOptions
	rules.ToolOptions = make(map[string]registry.ToolOptions)
	for name, options := range file.ToolOptions() {
		rules.ToolOptions[name] = registry.ToolOptions(options)
	}
	maps.Copy(rules.ToolOptions, given)
	rules.Revoked = slices.Concat(rules.Revoked, slices.Sorted(maps.Keys(file.Revoked())))
	if o.Config != nil {
		rules.Shell = file.Shell()
	}
	var known policy.Known
	for _, spec := range specs {
		known.Tools = append(known.Tools, policy.ToolFacts{
			Name: spec.Name, Aliases: spec.Aliases, Dangerous: spec.Dangerous, Parameters: &parameters{schema: spec.Parameters},
		})
		rules.ToolGrantables[spec.Name] = o.grantableFor(spec)
		if err := unknownSettings(file, spec); err != nil {
			return rules, err
		}
	}
	config := o.Policy
	if o.Config != nil {
		config = file.PolicyConfig()
		config.Rules = append(config.Rules, o.Policy.Rules...)
	}
	for name := range config.Tools {
		if _, there := rules.ToolGrantables[name]; !there {
			rules.ToolGrantables[name] = o.grantableFor(tool.Spec{Name: name})
		}
	}
	known.NotLoaded = notStarted(o, config)
	tenants, err := allTenants(file, known, o.onShort())
	if err != nil {
		return rules, err
	}
	if tenants != nil {
		rules.Tenants = tenants
	}
	if rules.Policy, err = policy.Compile(config, known); err != nil {
		return rules, (&tool.Error{Code: tool.CodeUsage, Message: err.Error()}).WithCause(err)
	}
	return rules, nil
}

// parameters are the parameters of a tool. They are compiled when a rule asks for them.
type parameters struct {
	schema   json.RawMessage
	compiled *jsonschema.Schema
}

func (p *parameters) Declared(name string) string {
	if s := p.compile(); s != nil {
		return s.Declared(name)
	}
	return name
}

func (p *parameters) Unknown(name string) (string, bool) {
	if s := p.compile(); s != nil {
		return s.Unknown(name)
	}
	return "", false
}

// compile returns the compiled schema, or nil if the schema is invalid; a registered tool has none
// such.
func (p *parameters) compile() *jsonschema.Schema {
	if p.compiled == nil {
		p.compiled, _ = jsonschema.CompileParameters(p.schema)
	}
	return p.compiled
}

// grantableFor returns what a tool can be granted: what the operator's file and the Rules of the
// Options offer. A mount or variable of the Rules replaces the mount or variable of the file;
// permissions of the file for that mount then apply to the new directory. The denials of the file
// still apply.
func (o *Options) grantableFor(spec tool.Spec) capability.Grantable {
	file, more := o.config(), o.Registry.Rules.GrantableFor(spec.Name)
	dirs := make(map[string]string)
	if o.Workspace != "" {
		dirs[capability.WorkspaceMount] = o.Workspace
	}
	given := file.Grantable(dirs, spec.Name, spec.Aliases...)
	maps.Copy(given.Mounts, more.Mounts)
	for _, permission := range file.MountPermissions(spec.Name) {
		if _, replaced := more.Mounts[permission.Name()]; replaced {
			_ = given.Add(capability.Bound{}, permission) // cannot fail: the mount is bound
		}
	}
	maps.Copy(given.Env, more.Env)
	given.Net = append(given.Net, more.Net...)
	if given.Secrets == nil {
		given.Secrets = make(map[string]capability.GrantableSecret)
	}
	maps.Copy(given.Secrets, more.Secrets)
	given.KV = max(given.KV, more.KV)
	given.Tools = append(given.Tools, more.Tools...)
	given.Deny = append(given.Deny, more.Deny...)
	given.Protected = append(given.Protected, more.Protected...)
	if o.Registry.Rules.AskOutside || file.PolicyConfig().AskOutside || o.Policy.AskOutside {
		// Refuse these paths before a person is asked, not only when they are opened.
		given.Protected = append(given.Protected, o.Files.Protected...)
	}
	for _, permission := range o.Permissions {
		// A mount or variable that is not bound was reported when the file or flag was read. Calls
		// of a tool that requests it fail.
		_ = file.Allow(&given, capability.Bound{Env: file.LookupEnv}, permission)
	}
	return given
}
