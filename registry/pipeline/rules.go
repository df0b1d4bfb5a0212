package pipeline

import (
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Rules are the operator's rules for tools and calls. The registry does not change them, and the
// caller must not change them after passing them to the registry. Each call uses the Rules that
// were in force when it began. The zero value grants nothing, hides no tool, and requires an
// approval for calls that are not harmless.
type Rules struct {
	// Grantable is what tools get if they request it. ToolGrantables replaces it for single
	// tools, by name.
	Grantable      capability.Grantable
	ToolGrantables map[string]capability.Grantable
	// Granted are permissions that every tool gets if it requests them, without an approval, as if
	// they had been granted to it. They are for a person who makes the calls by hand. GrantedBy
	// says in explanations where these permissions come from.
	Granted   []capability.Permission
	GrantedBy string
	// Extend adds granted permissions to a Grantable and binds them: a mount to its directory, a
	// variable to its value. If a permission has no binding, Extend fails with an error that
	// names it, and leaves the Grantable unchanged. Extend must be safe for concurrent use. Nil
	// adds only permissions that are already bound.
	Extend func(o *capability.Grantable, permissions ...capability.Permission) error
	// AllowLines returns lines for the operator's file that grant permissions to a tool.
	// ShellLines returns lines that allow commands with these patterns to run without an
	// approval. Denials show these lines to the operator. Both must be safe for concurrent use;
	// nil means lines for an empty file.
	AllowLines func(tool string, permissions []string) string
	ShellLines func(patterns []string) string
	// AskOutside lets calls of tools in the sandbox ask for one path outside all workspaces, if the
	// Approver of ApprovalOptions exists and is not Remote. The path must be the value of a
	// parameter with "x-path" in its schema. Without AskOutside, such a path is refused.
	AskOutside bool
	// Policy decides which tools are visible, and which calls are allowed, denied or need an
	// approval. Nil means the policy of the zero policy.Config.
	Policy *policy.Policy
	// Shell holds the operator's settings for the commands of shell scripts. They apply to tools
	// with Spec.Shell.
	Shell shellcommand.Settings
	// Tenants returns the options of a tenant, and an error for a tenant that may make no calls. It
	// is asked about each call of a tenant that comes without options of its own, and not about
	// nested calls and calls of the tenant "". It must be safe for concurrent use. Nil means no
	// options.
	Tenants func(name string) (TenantOptions, error)
	// ToolOptions are the operator's options for single tools, by name.
	ToolOptions map[string]ToolOptions
	// Digests pins tools, by name, to the digest that Registry.Digest returns. A tool with a
	// different digest does not run.
	Digests map[string]string
	// Revoked are digests of tools that must not run. Setting the Rules cancels running calls of
	// these tools.
	Revoked []string
}

// ToolOptions are the operator's options for one tool. The zero value changes nothing.
type ToolOptions struct {
	// Retry is the same as tool.Spec.Retry: a call that failed may be repeated.
	Retry bool
	// ReadOnly declares that calls of a tool outside the sandbox change nothing, so that they may
	// run concurrently with other calls that only read. No approval or grant depends on it. The
	// effects of tools in the sandbox are known, and do not depend on it.
	ReadOnly bool
	// Strict is the same as tool.Spec.Strict: undeclared arguments are an error.
	Strict bool
}

// declared returns the effects of a tool outside the sandbox that the program or the operator
// declared, or nil.
func (r *Rules) declared(s tool.Spec) *capability.Effects {
	declared := s.Declared
	if r.ToolOptions[s.Name].ReadOnly && (declared == nil || !declared.ReadOnly) {
		return &capability.Effects{ReadOnly: true, OpenWorld: true}
	}
	return declared
}

// declaresReadOnly reports whether the program or the operator declared that the calls of a tool
// change nothing.
func (r *Rules) declaresReadOnly(s tool.Spec) bool {
	declared := r.declared(s)
	return declared != nil && declared.ReadOnly
}

// GrantableFor returns the permissions that a tool gets if it requests them.
func (r *Rules) GrantableFor(name string) capability.Grantable {
	if own, ok := r.ToolGrantables[name]; ok {
		return own
	}
	return r.Grantable
}

// optionsOf returns the options for calls of a tenant that come without options of their own.
func (r *Rules) optionsOf(tenant string) (TenantOptions, error) {
	if r.Tenants == nil || tenant == "" {
		return TenantOptions{}, nil
	}
	return r.Tenants(tenant)
}

// OptionsOf returns the options that the Rules have for a tenant. The error is a *[tool.Error] if
// they have tenants but not this one.
func (p *Pipeline) OptionsOf(tenant string) (TenantOptions, error) {
	return p.rules.Load().optionsOf(tenant)
}

func (r *Rules) extend(o *capability.Grantable, permissions ...capability.Permission) error {
	if r.Extend != nil {
		return r.Extend(o, permissions...)
	}
	return o.Add(capability.Bound{}, permissions...)
}

func (r *Rules) allowLines(tool string, permissions []string) string {
	if r.AllowLines != nil {
		return r.AllowLines(tool, permissions)
	}
	return policy.AllowLines(tool, permissions)
}

func (r *Rules) shellLines(patterns []string) string {
	if r.ShellLines != nil {
		return r.ShellLines(patterns)
	}
	return policy.TableLines("shell", "", policy.ListLine("allow", patterns))
}

// Help tells an operator how to give a tool its missing permissions.
type Help struct {
	// Grant are permissions to grant to the tool. They are sufficient only if there are no
	// Obstacles.
	Grant []capability.Permission
	// Obstacles describe what prevents the other permissions, and what to do about it.
	Obstacles []string
	// Denied are the missing permissions that no grant can provide.
	Denied []capability.Permission
}

// Help returns how to give a tool its missing permissions. p is what the tool requests, and o what
// it can get now.
func (r *Rules) Help(p capability.Permissions, o capability.Grantable, missing []capability.Permission) Help {
	var h Help
	for _, permission := range missing {
		explained := capability.Explain(p, o, permission)
		switch {
		case explained.Fix.IsZero():
			h.Denied = append(h.Denied, permission)
			h.Obstacles = append(h.Obstacles, permission.String()+": "+explained.By)
			continue
		case slices.Contains(h.Grant, explained.Fix):
			continue
		}
		if err := r.extend(&o, explained.Fix); err != nil {
			h.Obstacles = append(h.Obstacles, err.Error())
			continue
		}
		h.Grant = append(h.Grant, explained.Fix)
	}
	return h
}

// factsOfCalled returns what a policy knows about a tool whose calls it decides about.
func factsOfCalled(t *catalogue.Tool) policy.ToolFacts {
	facts := factsOf(t.Spec)
	facts.Parameters = t.Parameters
	return facts
}

// factsOf returns what a policy knows about a tool, apart from its parameters.
func factsOf(s tool.Spec) policy.ToolFacts {
	return policy.ToolFacts{Name: s.Name, Aliases: s.Aliases, Original: s.Original, Dangerous: s.Dangerous}
}
