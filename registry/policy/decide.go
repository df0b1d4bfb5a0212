package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
)

// Reason is one cause of a decision.
type Reason struct {
	// Effect is the effect of this cause.
	Effect Effect `json:"effect"`
	// Rule is the part of the Config, such as `deny[0] "exec"`, `rules[2]` or
	// `tools.issues.auto_execute`, or "default" if the Config has no entry for the call.
	Rule string `json:"rule"`
	// Source is the place of that part, as given in the Config; may be empty.
	Source string `json:"source,omitempty"`
	// Why explains to the operator, in a few words, why this part of the Config matches.
	Why string `json:"why"`
}

// String returns the reason on one line.
func (r Reason) String() string {
	text := r.Effect.String() + " by " + r.Rule
	if r.Source != "" {
		text += " (" + r.Source + ")"
	}
	return text + ": " + r.Why
}

// ByDefault reports whether no part of the Config caused the reason.
func (r Reason) ByDefault() bool { return r.Rule == ruleDefault }

// Decision is the answer of a Policy about a call.
type Decision struct {
	// Effect is the answer; the zero value denies.
	Effect Effect `json:"effect"`
	// By is the cause that decided.
	By Reason `json:"by"`
	// Also lists other causes that match the call, in the order of the Config.
	Also []Reason `json:"also,omitempty"`
	// Grant lists what the operator can grant to the tool permanently so that the call is allowed
	// without approval: permissions, or AutoExecute. It is empty if no grant suffices.
	Grant []string `json:"grant,omitempty"`
	// Fix says how to change the Config so that the call is allowed without approval: lines to add
	// to wasmtool.toml, or what to remove from it. It is empty when the call is allowed, and when
	// no change of the Config suffices.
	Fix string `json:"fix,omitempty"`
}

// AutoExecute represents ToolRule.AutoExecute in a list of granted permissions.
const AutoExecute = "auto_execute"

// Names of rules that are not part of the Config.
const (
	ruleDefault  = "default"
	ruleNoPolicy = "no policy"
	ruleOff      = "off"
	ruleGranted  = "granted"
)

// Visible reports whether a tool is visible. A hidden tool must not be revealed to a model, so only
// the operator may see the Reason.
func (p *Policy) Visible(t ToolFacts) (bool, Reason) {
	reason, _ := p.visible(t)
	return reason.Effect == Allow, reason
}

// visible does the same as Visible, and also returns what to change so that a hidden tool becomes
// visible.
func (p *Policy) visible(t ToolFacts) (reason Reason, fix string) {
	reason, fix = p.visibleName(t)
	if t.Original != "" && reason.Effect == Allow {
		return p.visibleName(t.original())
	}
	return reason, fix
}

// visibleName is visible for the tool's own name only.
func (p *Policy) visibleName(t ToolFacts) (reason Reason, fix string) {
	switch {
	case p == nil || !p.compiled:
		return Reason{Deny, ruleNoPolicy, "", "there is no policy"}, "load a policy"
	case p.off:
		return Reason{Deny, ruleOff, p.sources[ruleOff], "all tools are switched off"}, "set enable_tool_calls = true in [policy]" + where(p.sources[ruleOff])
	}
	if i := slices.IndexFunc(p.deny, func(s selector) bool { return s.restricts(t) }); i >= 0 {
		at, text := p.entryPlace("deny")(i), p.deny[i].text
		return Reason{Deny, fmt.Sprintf("%s %q", at.field, text), at.source, "it names the tool"},
			"remove " + quote(text) + " from deny" + where(at.source)
	}
	if own := p.tools[normal(t.Name)]; own.disabled {
		rule := "tools." + t.Name + ".enabled"
		return Reason{Deny, rule, own.source, "the tool is switched off"}, "set enabled = true in [tools." + Key(t.Name) + "]" + where(own.source)
	}
	if p.entries != nil && !anyPermits(p.entries, t) {
		source := p.sources["profile"]
		return Reason{Deny, p.profile, source, "the profile does not include the tool"},
			p.wideningLines(t)
	}
	if p.narrowed && !anyPermits(p.allow, t) {
		source := p.sources["allow"]
		return Reason{Deny, "allow", source, "there is an allow list and it does not name the tool"},
			"add " + quote(t.Name) + " to allow" + where(source)
	}
	return Reason{Allow, p.profile, p.sources["profile"], "nothing removes the tool"}, ""
}

func anyPermits(list []selector, t ToolFacts) bool {
	return slices.ContainsFunc(list, func(s selector) bool { return s.permits(t) })
}

// Decide says whether a call may run. It denies calls of tools that are not visible.
func (p *Policy) Decide(t ToolFacts, c CallFacts) Decision {
	decision, _ := p.decide(t, c)
	return decision
}

// decide is Decide, and also returns a trace of each rule, or nil if no rule was evaluated.
func (p *Policy) decide(t ToolFacts, facts CallFacts) (Decision, []RuleTrace) {
	own, traces := p.decideName(t, facts)
	if t.Original == "" {
		return own, traces
	}
	other, otherTraces := p.decideName(t.original(), facts)
	if other.Effect < own.Effect {
		return Stricter(own, other), otherTraces
	}
	both := Stricter(own, other)
	if own.Effect == other.Effect && own.Fix != other.Fix {
		both.Fix += "\n" + other.Fix // the call needs both changes
	}
	return both, traces
}

// Stricter returns the stricter of two decisions, with the reasons of both.
func Stricter(a, b Decision) Decision {
	if b.Effect < a.Effect {
		a, b = b, a
	}
	a.Also = append(append(a.Also, b.By), b.Also...)
	return a
}

// decideName is decide for the tool's own name only.
func (p *Policy) decideName(t ToolFacts, facts CallFacts) (Decision, []RuleTrace) {
	if reason, fix := p.visibleName(t); reason.Effect != Allow {
		return Decision{Effect: Deny, By: reason, Fix: fix}, nil
	}
	c := p.newCall(t, facts)
	var traces []RuleTrace
	var holding []*rule
	var reasons []Reason
	for _, r := range p.rules {
		holds, why := r.holds(&c)
		traces = append(traces, RuleTrace{
			Rule: r.name(), Effect: r.effect, Source: r.source, Reason: r.reason, Holds: holds, Why: why,
		})
		if !holds {
			continue
		}
		if r.reason != "" {
			why = r.reason
		}
		holding = append(holding, r)
		reasons = append(reasons, Reason{r.effect, r.name(), r.source, why})
	}
	if c.effort.exhausted() {
		why := "the arguments are too large to be compared with the rules; call the tool with smaller arguments"
		return Decision{Effect: Deny, By: Reason{Deny, ruleDefault, "", why}, Also: reasons}, traces
	}
	return p.weigh(&c, holding, reasons), traces
}

func (p *Policy) newCall(t ToolFacts, facts CallFacts) call {
	c := call{
		tool: t, words: grantedPermissions(facts.Capabilities), granted: facts.Granted,
		arguments: map[string]any(nil), effort: &effort{left: maxEffort},
	}
	if facts.WorkingDirectory != "" {
		c.effort.directory = clean(p.base, facts.WorkingDirectory)
	}
	looks := func(r *rule) bool { return len(r.conditions) > 0 }
	if len(facts.Arguments) == 0 || !slices.ContainsFunc(p.rules, looks) {
		return c
	}
	if facts.Decoded != nil {
		c.arguments = facts.Decoded()
		return c
	}
	value, err := decode(facts.Arguments)
	_, isObject := value.(map[string]any)
	c.arguments, c.invalid = value, err != nil || !isObject
	return c
}

// weigh decides between the matching rules and the default.
func (p *Policy) weigh(c *call, holding []*rule, reasons []Reason) Decision {
	for _, effect := range []Effect{Deny, Ask} {
		if i := slices.IndexFunc(holding, func(r *rule) bool { return r.effect == effect }); i >= 0 {
			fix := "remove " + holding[i].name() + ", or narrow it" + where(holding[i].source)
			return decided(effect, reasons, i, fix)
		}
	}
	if p.additional {
		return Decision{Effect: Allow, By: Reason{Allow, ruleDefault, "", "no rule of the tenant restricts the call"}, Also: reasons}
	}
	risk := c.risk()
	if i := slices.IndexFunc(holding, func(r *rule) bool { return !c.tool.Dangerous || r.namesTool(c.tool) }); i >= 0 {
		return decided(Allow, reasons, i, "")
	}
	if own := p.tools[c.tool.Name]; own.auto && risk != "" {
		reason := Reason{Allow, "tools." + c.tool.Name + ".auto_execute", own.source, "the operator set it; otherwise the call would need an approval: " + risk}
		return Decision{Effect: Allow, By: reason, Also: reasons}
	}
	if why := c.remembered(); why != "" && risk != "" {
		return Decision{Effect: Allow, By: Reason{Allow, ruleGranted, c.granted.Source, why}, Also: reasons}
	}
	if risk == "" {
		why := "the tool is not dangerous and the call can only read"
		return Decision{Effect: Allow, By: Reason{Allow, ruleDefault, "", why}, Also: reasons}
	}
	d := Decision{Effect: Ask, By: Reason{Ask, ruleDefault, "", risk}, Also: reasons, Grant: c.risky(), Fix: p.allowingLines(c)}
	if c.tool.Dangerous {
		d.Grant = []string{AutoExecute}
	}
	return d
}

// decided returns a Decision that reasons[by] made; the other reasons become Also.
func decided(effect Effect, reasons []Reason, by int, fix string) Decision {
	also := slices.Concat(reasons[:by], reasons[by+1:])
	if len(also) == 0 {
		also = nil
	}
	return Decision{Effect: effect, By: reasons[by], Also: also, Fix: fix}
}

// remembered says why an earlier grant allows the call, or returns "". For a dangerous tool,
// granted permissions alone do not suffice.
func (c *call) remembered() string {
	switch {
	case c.granted.AutoExecute && c.granted.Why != "":
		return c.granted.Why
	case c.granted.AutoExecute:
		return "the operator lets every call of the tool run"
	case c.tool.Dangerous || len(c.granted.Permissions) == 0:
		return ""
	}
	granted := capability.Strings(c.granted.Permissions)
	outside := func(word string) bool { return !slices.Contains(granted, word) }
	if slices.ContainsFunc(c.risky(), outside) {
		return ""
	}
	return "everything that the call can access was granted to the tool"
}

// risk says why a call needs approval by default, or returns "".
func (c *call) risk() string {
	var parts []string
	if c.tool.Dangerous {
		parts = append(parts, "the tool is dangerous")
	}
	if words := c.risky(); len(words) > 0 {
		parts = append(parts, "the call can reach "+strings.Join(words, ", "))
	}
	return strings.Join(parts, " and ")
}

// risky returns the permissions of the grant that need approval, sorted.
func (c *call) risky() []string {
	var words []string
	for _, w := range c.words {
		if !w.harmless {
			words = append(words, w.text)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func (r *rule) name() string { return fmt.Sprintf("rules[%d]", r.number) }
