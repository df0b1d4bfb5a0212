package registry

import (
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// Rules is what the operator says about tools and calls. It is data that a Registry reads
// and never changes; the caller does not change it either once it is handed over. Each
// call goes by the Rules that there were when it began. The zero value grants nothing,
// has every tool and asks about what is not harmless.
type Rules struct {
	// Offer is what tools that ask are given. Offers takes its place for single tools, by
	// their names.
	Offer  capability.Offer
	Offers map[string]capability.Offer
	// Granted are words that every tool is given that asks, and not asked about, as if they
	// had been granted to it: those of whoever makes the calls by hand. GrantedBy says who
	// that is, for explanations.
	Granted   []capability.Word
	GrantedBy string
	// Widen adds words that were granted to a tool to what it is offered, and binds them: a
	// mount to its folder, a variable to its value. An error says what nobody binds, and
	// leaves the offer as it is. It is safe for concurrent use. Nil knows no more than what
	// is offered already.
	Widen func(o *capability.Offer, words ...capability.Word) error
	// AllowLines returns the lines of the operator's file that grant words to a tool, and
	// ShellLines those that let commands of these patterns run unasked: what a denial tells the
	// operator. They are safe for concurrent use; nil is as for an empty file.
	AllowLines func(tool string, words []string) string
	ShellLines func(patterns []string) string
	// Policy says which tools there are and which calls run, be asked about or not. Nil
	// means that of the zero policy.Config.
	Policy *policy.Policy
	// Shell is what the operator says about the commands of scripts, of tools whose Spec
	// names a parameter that is one.
	Shell shellcommand.Settings
	// Digests are what single tools must be, by their names, as Registry.Digest tells it.
	// A tool with another digest does not run.
	Digests map[string]string
	// Revoked are digests of tools that must not run. Calls of them that run when the
	// Rules are set are stopped.
	Revoked []string
}

// OfferTo is what a tool is given that asks.
func (r *Rules) OfferTo(name string) capability.Offer {
	if own, ok := r.Offers[name]; ok {
		return own
	}
	return r.Offer
}

func (r *Rules) widen(o *capability.Offer, words ...capability.Word) error {
	if r.Widen != nil {
		return r.Widen(o, words...)
	}
	return o.Add(capability.Bound{}, words...)
}

// SetRules puts new Rules in the place of those that there are, in one step: calls that
// begin afterwards go by them. Calls that run go on under theirs, but for those of tools
// whose digest is now revoked, which are stopped and fail with disabled. Tools in the sandbox
// that describe themselves do it anew, under the new ones.
func (r *Registry) SetRules(rules Rules) {
	if rules.Policy == nil {
		rules.Policy = policy.Default()
	}
	r.rules.Store(&rules)
	r.tools.ForgetDescriptions()
	if len(rules.Revoked) > 0 {
		r.calls.Revoke(rules.Revoked)
	}
}

// factsOf is what a policy knows of a tool.
func factsOf(s tool.Spec) policy.ToolFacts {
	return policy.ToolFacts{Name: s.Name, Aliases: s.Aliases, Dangerous: s.Dangerous}
}

// visible reports whether the Rules leave a tool to its callers.
func (r *Registry) visible(t *catalogue.Tool) bool {
	visible, _ := r.rules.Load().Policy.Visible(factsOf(t.Spec))
	return visible
}

// admit is the step that finds the tool and looks whether it is there for the caller.
func (r *Registry) admit(x *execution) error {
	found, err := r.tools.Find(x.call.Tool)
	if err != nil {
		return err
	}
	x.tool = found
	x.entry.Found(found, &found.Spec)
	if found.Disabled {
		return &tool.Error{Code: tool.CodeDisabled, Message: "the tool is switched off"}
	}
	facts := factsOf(found.Spec)
	for _, p := range []*policy.Policy{x.rules.Policy, x.overlay.Policy} {
		if p == nil { // none of the overlay's
			continue
		}
		if visible, _ := p.Visible(facts); !visible {
			return &tool.Error{
				Code: tool.CodeDisabled, Message: "the operator's policy has the tool switched off",
				Details: tool.Details{Fix: p.Decide(facts, policy.CallFacts{}).Fix},
			}
		}
	}
	return nil
}
