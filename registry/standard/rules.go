package standard

import (
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
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
	var known policy.Known
	rules := registry.Rules{
		Offer:   o.offerTo(tool.Spec{}),
		Offers:  make(map[string]capability.Offer),
		Granted: o.Granted, GrantedBy: o.GrantedBy,
		Widen: func(offer *capability.Offer, words ...capability.Word) error {
			return o.config().Allow(offer, capability.Bound{Env: o.config().LookupEnv}, words...)
		},
		AllowLines: o.config().AllowLines, ShellLines: o.config().ShellLines,

		Shell:   o.config().Shell(),
		Digests: o.config().Digests(),
		Revoked: slices.Sorted(maps.Keys(o.config().Revoked())),
	}
	for _, spec := range specs {
		known.Tools = append(known.Tools, policy.ToolFacts{Name: spec.Name, Aliases: spec.Aliases, Dangerous: spec.Dangerous})
		rules.Offers[spec.Name] = o.offerTo(spec)
		if err := settingsInVain(o.config(), spec); err != nil {
			return rules, err
		}
	}
	wanted := o.config().PolicyConfig()
	wanted.Rules = append(wanted.Rules, o.Policy.Rules...)
	if o.Config == nil {
		wanted = o.Policy
	}
	for name := range wanted.Tools {
		if _, there := rules.Offers[name]; !there {
			rules.Offers[name] = o.offerTo(tool.Spec{Name: name})
		}
	}
	known.NotLoaded = notStarted(o, wanted)
	var err error
	if rules.Policy, err = policy.Compile(wanted, known); err != nil {
		return rules, (&tool.Error{Code: tool.CodeUsage, Message: err.Error()}).WithCause(err)
	}
	return rules, nil
}

// config is the operator's file, an empty one for none.
func (o Options) config() *config.Config {
	if o.Config == nil {
		return &config.Config{}
	}
	return o.Config
}

// offerTo is what a tool is given that asks: what the operator's file says, and what
// Options say besides. A mount or variable of Options takes the place of one of the file,
// and the words of the file are about the mount, whatever its folder; what the file denies
// stays denied.
func (o Options) offerTo(spec tool.Spec) capability.Offer {
	dirs := make(map[string]string)
	if o.Workspace != "" {
		dirs[WorkspaceMount] = o.Workspace
	}
	given := o.config().OfferFor(dirs, spec.Name, spec.Aliases...)
	maps.Copy(given.Mounts, o.Offer.Mounts)
	for _, word := range o.config().MountWords(spec.Name) {
		if _, replaced := o.Offer.Mounts[word.Name()]; replaced {
			_ = given.Add(capability.Bound{}, word) // the mount is bound
		}
	}
	maps.Copy(given.Env, o.Offer.Env)
	given.Net = append(given.Net, o.Offer.Net...)
	if given.Secrets == nil {
		given.Secrets = make(map[string]capability.SecretOffer)
	}
	maps.Copy(given.Secrets, o.Offer.Secrets)
	given.KV = max(given.KV, o.Offer.KV)
	given.Deny = append(given.Deny, o.Offer.Deny...)
	given.Clock, given.Random = !o.Deterministic, !o.Deterministic
	for _, word := range o.Words {
		// A mount or variable that nobody binds is told when the word is read; a tool that
		// asks for it then misses it.
		_ = o.config().Allow(&given, capability.Bound{Env: o.config().LookupEnv}, word)
	}
	return given
}
