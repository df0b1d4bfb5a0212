package standard

import (
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Rules returns what o says about the tools of a Registry: their grants, the policy, pinned
// and revoked digests. A server that reads its operator's file again hands them to
// Registry.SetRules. The error is an *Error of the code usage, for a policy that names
// tools wrongly.
func Rules(o Options, tools *registry.Registry) (registry.Rules, error) {
	return rulesFor(o, specsOf(tools))
}

// specsOf lists what tools a Registry has, also those that are switched off.
func specsOf(tools *registry.Registry) []tool.Spec {
	var specs []tool.Spec
	for _, info := range tools.Tools().List(catalogue.Filter{Disabled: true}) {
		specs = append(specs, info.Spec)
	}
	return specs
}

// rulesFor are the rules for these tools, and for others that come later by the names that
// the file has of them.
func rulesFor(o Options, specs []tool.Spec) (registry.Rules, error) {
	file, rules := o.config(), o.Registry.Rules
	if rules.Policy != nil {
		return rules, &tool.Error{Code: tool.CodeUsage, Message: "Registry.Rules.Policy is made of Config and Policy; leave it nil"}
	}
	rules.Grantable, rules.ToolGrantables = o.offerTo(tool.Spec{}), make(map[string]capability.Grantable)
	rules.Extend = func(offer *capability.Grantable, words ...capability.Permission) error {
		return file.Allow(offer, capability.Bound{Env: file.LookupEnv}, words...)
	}
	rules.AllowLines, rules.ShellLines = file.AllowLines, file.ShellLines
	rules.Digests = file.Digests()
	for name, digest := range o.Registry.Rules.Digests {
		if _, pinned := rules.Digests[name]; !pinned {
			rules.Digests[name] = digest
		}
	}
	rules.Revoked = slices.Concat(rules.Revoked, slices.Sorted(maps.Keys(file.Revoked())))
	if o.Config != nil {
		rules.Shell = file.Shell()
	}
	var known policy.Known
	for _, spec := range specs {
		known.Tools = append(known.Tools, policy.ToolFacts{Name: spec.Name, Aliases: spec.Aliases, Dangerous: spec.Dangerous})
		rules.ToolGrantables[spec.Name] = o.offerTo(spec)
		if err := settingsInVain(file, spec); err != nil {
			return rules, err
		}
	}
	wanted := o.Policy
	if o.Config != nil {
		wanted = file.PolicyConfig()
		wanted.Rules = append(wanted.Rules, o.Policy.Rules...)
	}
	for name := range wanted.Tools {
		if _, there := rules.ToolGrantables[name]; !there {
			rules.ToolGrantables[name] = o.offerTo(tool.Spec{Name: name})
		}
	}
	known.NotLoaded = notStarted(o, wanted)
	var err error
	if rules.Policy, err = policy.Compile(wanted, known); err != nil {
		return rules, (&tool.Error{Code: tool.CodeUsage, Message: err.Error()}).WithCause(err)
	}
	return rules, nil
}

// offerTo is what a tool is given that asks: what the operator's file says, and what the
// Rules of the Options say besides. A mount or variable of these takes the place of one of
// the file, and the words of the file are about the mount, whatever its folder; what the
// file denies stays denied.
func (o *Options) offerTo(spec tool.Spec) capability.Grantable {
	file, more := o.config(), o.Registry.Rules.GrantableFor(spec.Name)
	dirs := make(map[string]string)
	if o.Workspace != "" {
		dirs[capability.WorkspaceMount] = o.Workspace
	}
	given := file.Grantable(dirs, spec.Name, spec.Aliases...)
	maps.Copy(given.Mounts, more.Mounts)
	for _, word := range file.MountPermissions(spec.Name) {
		if _, replaced := more.Mounts[word.Name()]; replaced {
			_ = given.Add(capability.Bound{}, word) // the mount is bound
		}
	}
	maps.Copy(given.Env, more.Env)
	given.Net = append(given.Net, more.Net...)
	if given.Secrets == nil {
		given.Secrets = make(map[string]capability.GrantableSecret)
	}
	maps.Copy(given.Secrets, more.Secrets)
	given.KV = max(given.KV, more.KV)
	given.Deny = append(given.Deny, more.Deny...)
	given.Protected = append(given.Protected, more.Protected...)
	for _, word := range o.Permissions {
		// A mount or variable that nobody binds is told when the word is read; a tool that
		// asks for it then misses it.
		_ = file.Allow(&given, capability.Bound{Env: file.LookupEnv}, word)
	}
	return given
}
