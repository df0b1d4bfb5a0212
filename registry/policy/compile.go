package policy

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Policy is a compiled Config. It is immutable and safe for concurrent use. The zero value and nil
// hide every tool and deny every call.
type Policy struct {
	compiled bool
	off      bool
	// additional is Config.Additional.
	additional bool
	profile    string     // the Reason.Rule of decisions of the profile
	entries    []selector // entries of the profile; nil for full
	allow      []selector
	narrowed   bool // the Config has an allow list
	deny       []selector
	tools      map[string]toolRule
	rules      []*rule
	sources    map[string]string
	warnings   []Problem
	base       string
}

type toolRule struct {
	disabled, auto bool
	source         string
}

// compiler collects the problems found while a Config is compiled.
type compiler struct {
	problems
	names *names
	tools []ToolFacts // the known tools
	base  string
}

// Compile checks a Config against the known names and returns its Policy. It keeps no reference to
// its arguments. The error is a *ConfigError with all problems. An unknown tool name is not an
// error: the entry applies to a tool of that name that is added later, and Warnings lists it.
func Compile(c Config, k Known) (*Policy, error) {
	build := &compiler{names: newNames(k), tools: k.Tools, base: c.Base}
	build.checkBase()
	p := &Policy{
		compiled: true, base: build.base, off: c.Off, additional: c.Additional, narrowed: len(c.Allow) > 0,
		tools: make(map[string]toolRule), sources: maps.Clone(c.Sources),
	}
	build.profile(p, c.Profile)
	p.allow = build.names.selectors(c.Allow, false, p.entryPlace("allow"), &build.problems)
	p.deny = build.names.selectors(c.Deny, true, p.entryPlace("deny"), &build.problems)
	for _, name := range slices.Sorted(maps.Keys(c.Tools)) {
		build.tool(p, name, c.Tools[name])
	}
	if len(c.Rules) > maxRules {
		build.add(place{field: "rules"}, "there are %d rules; the limit is %d", len(c.Rules), maxRules)
		c.Rules = nil
	}
	for i, r := range c.Rules {
		p.rules = append(p.rules, build.rule(i, r))
	}
	if len(build.errors) > 0 {
		return nil, &ConfigError{Problems: build.errors}
	}
	p.warnings = build.warnings
	return p, nil
}

// Default returns the policy of the zero Config.
func Default() *Policy {
	return &Policy{compiled: true, profile: fmt.Sprintf("profile %q", profileFull), tools: make(map[string]toolRule)}
}

// Warnings returns probable mistakes in the Config.
func (p *Policy) Warnings() []Problem {
	if p == nil {
		return nil
	}
	return slices.Clone(p.warnings)
}

func (c *compiler) checkBase() {
	c.base = cmp.Or(c.base, defaultBase)
	if !path.IsAbs(c.base) || path.Clean(c.base) != c.base || strings.ContainsAny(c.base, `*?[]{}\`) || len(c.base) > maxGlobBytes {
		c.add(place{field: "base"}, "%q must be an absolute, cleaned path without *?[]{}\\", c.base)
		c.base = defaultBase
	}
}

func (c *compiler) profile(p *Policy, name string) {
	name = cmp.Or(name, profileFull)
	p.profile = fmt.Sprintf("profile %q", name)
	at := place{"profile", p.sources["profile"]}
	for _, known := range profileEntries {
		if known.name == name {
			p.entries = c.names.selectors(known.entries, false, func(int) place { return at }, &c.problems)
			return
		}
	}
	if name != profileFull {
		c.add(at, "%q is not a profile%s; profiles are %s", name, meant(name, Profiles()), strings.Join(Profiles(), ", "))
	}
}

func (c *compiler) tool(p *Policy, name string, r ToolRule) {
	at := place{"tools." + name, r.Source}
	if strings.ContainsAny(name, "*:") {
		c.add(at, "must be a tool's own name, neither a group nor a pattern")
		return
	}
	s, ok := c.names.selector(name, false, at, &c.problems)
	if !ok {
		return
	}
	own := s.exact[0]
	if c.names.own[normal(name)] {
		own = normal(name)
	}
	if own != normal(name) {
		// Other settings are looked up by the tool's own name, so settings under an alias would
		// have no effect.
		c.add(at, "%q is another name of %s; write [tools.%s]", name, own, Key(own))
		return
	}
	if _, twice := p.tools[own]; twice {
		c.add(at, "%s is set twice, with different upper and lower case; keep one", own)
		return
	}
	p.tools[own] = newToolRule(r)
}

func newToolRule(r ToolRule) toolRule {
	return toolRule{disabled: r.Enabled != nil && !*r.Enabled, auto: r.AutoExecute, source: r.Source}
}

// Tool returns the settings of the tool with this name, which is not an alias. Enabled is nil or
// false.
func (p *Policy) Tool(name string) ToolRule {
	if p == nil {
		return ToolRule{}
	}
	own := p.tools[normal(name)]
	r := ToolRule{AutoExecute: own.auto, Source: own.source}
	if own.disabled {
		r.Enabled = new(false)
	}
	return r
}

// WithTool returns a copy of the Policy with other settings for the tool with this name, which is
// not an alias. The zero ToolRule removes the settings of the tool. A Policy that hides every tool
// because it is zero or nil stays so.
func (p *Policy) WithTool(name string, r ToolRule) *Policy {
	if p == nil || !p.compiled {
		return p
	}
	changed := *p
	changed.tools = maps.Clone(p.tools)
	changed.tools[normal(name)] = newToolRule(r)
	return &changed
}

// entryPlace returns a function that returns the place of an entry of a list.
func (p *Policy) entryPlace(list string) func(int) place {
	return func(i int) place {
		field := fmt.Sprintf("%s[%d]", list, i)
		source, ok := p.sources[field]
		if !ok {
			source = p.sources[list]
		}
		return place{field, source}
	}
}
