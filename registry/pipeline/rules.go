package pipeline

import (
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Rules is what the operator says about tools and calls. The Registry reads it and never
// changes it; the caller must not change it either once it is handed over. Each call goes by
// the Rules in force when it began. The zero value grants nothing, has every tool and asks
// about calls that are not harmless.
type Rules struct {
	// Offer is what tools that ask are given. Offers takes its place for single tools, by
	// their names.
	Grantable      capability.Grantable
	ToolGrantables map[string]capability.Grantable
	// Granted are words that every tool is given that asks, without a question, as if they
	// had been granted to it: those of a person who makes the calls by hand. GrantedBy says
	// who that is, for explanations.
	Granted   []capability.Permission
	GrantedBy string
	// Widen adds words that were granted to a tool to what it is offered, and binds them: a
	// mount to its directory, a variable to its value. An error names what has no binding and
	// leaves the offer as it is. It must be safe for concurrent use. Nil binds nothing beyond
	// what is offered already.
	Extend func(o *capability.Grantable, words ...capability.Permission) error
	// AllowLines returns the lines of the operator's file that grant words to a tool, and
	// ShellLines those that let commands of these patterns run unasked: what a denial tells the
	// operator. They must be safe for concurrent use; nil writes them as for an empty file.
	AllowLines func(tool string, words []string) string
	ShellLines func(patterns []string) string
	// Policy says which tools there are and which calls run, are asked about or denied. Nil
	// means that of the zero policy.Config.
	Policy *policy.Policy
	// Shell is what the operator says about the commands of scripts, for tools whose Spec
	// names a parameter that holds one.
	Shell shellcommand.Settings
	// Digests are what single tools must be, by their names, as Registry.Digest returns it.
	// A tool with another digest does not run.
	Digests map[string]string
	// Revoked are digests of tools that must not run. Calls of them that run when the
	// Rules are set are stopped.
	Revoked []string
}

// GrantableFor is what a tool is given that asks.
func (r *Rules) GrantableFor(name string) capability.Grantable {
	if own, ok := r.ToolGrantables[name]; ok {
		return own
	}
	return r.Grantable
}

func (r *Rules) widen(o *capability.Grantable, words ...capability.Permission) error {
	if r.Extend != nil {
		return r.Extend(o, words...)
	}
	return o.Add(capability.Bound{}, words...)
}

func (r *Rules) allowLines(tool string, words []string) string {
	if r.AllowLines != nil {
		return r.AllowLines(tool, words)
	}
	return policy.AllowLines(tool, words)
}

func (r *Rules) shellLines(patterns []string) string {
	if r.ShellLines != nil {
		return r.ShellLines(patterns)
	}
	return policy.TableLines("shell", "", policy.ListLine("allow", patterns))
}

// Help is what an operator does about permissions that a tool asks for in vain.
type Help struct {
	// Grant are words to grant to the tool. They are enough only without Obstacles.
	Grant []capability.Permission
	// Obstacles are what prevents the others, and what to do about it.
	Obstacles []string
	// Denied are those that no grant brings.
	Denied []capability.Permission
}

// Help says what would bring missing permissions to a tool that asks for p and is offered o.
func (r *Rules) Help(p capability.Permissions, o capability.Grantable, missing []capability.Permission) Help {
	var h Help
	for _, word := range missing {
		explained := capability.Explain(p, o, word)
		switch {
		case explained.Fix.IsZero():
			h.Denied = append(h.Denied, word)
			h.Obstacles = append(h.Obstacles, word.String()+": "+explained.By)
			continue
		case slices.Contains(h.Grant, explained.Fix):
			continue
		}
		if err := r.widen(&o, explained.Fix); err != nil {
			h.Obstacles = append(h.Obstacles, err.Error())
			continue
		}
		h.Grant = append(h.Grant, explained.Fix)
	}
	return h
}

// factsOf is what a policy knows of a tool.
func factsOf(s tool.Spec) policy.ToolFacts {
	return policy.ToolFacts{Name: s.Name, Aliases: s.Aliases, Dangerous: s.Dangerous}
}
