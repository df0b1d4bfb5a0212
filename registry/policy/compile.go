package policy

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/each"
)

// Policy is a compiled Config. It is immutable and safe for concurrent use. The zero value and nil
// hide every tool and deny every call.
type Policy struct {
	compiled bool
	off      bool
	// additional is Config.Additional.
	additional bool
	profile    string
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
		compiled: true, base: build.base, off: c.Off, additional: c.Additional, profile: c.Profile, narrowed: len(c.Allow) > 0,
		tools: make(map[string]toolRule), sources: maps.Clone(c.Sources),
	}
	build.profile(p)
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
	return &Policy{compiled: true, profile: profileFull, tools: make(map[string]toolRule)}
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

func (c *compiler) profile(p *Policy) {
	p.profile = cmp.Or(p.profile, profileFull)
	at := place{"profile", p.sources["profile"]}
	for _, known := range profileEntries {
		if known.name == p.profile {
			p.entries = c.names.selectors(known.entries, false, func(int) place { return at }, &c.problems)
			return
		}
	}
	if p.profile != profileFull {
		c.add(at, "%q is not a profile%s; profiles are %s", p.profile, meant(p.profile, Profiles()), strings.Join(Profiles(), ", "))
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

// Problem is an error or warning about a Config.
type Problem struct {
	// Field is the place in the Config, such as "deny[1]" or "rules[0].arguments./path".
	Field string `json:"field"`
	// Message says what is wrong and how to fix it.
	Message string `json:"message"`
	// Source is the place in a file as given in the Config; may be empty.
	Source string `json:"source,omitempty"`
	// Warning says that the policy can be used despite the problem.
	Warning bool `json:"warning,omitempty"`
	// Unknown is the name of a tool or parameter that no known tool has, if that is the problem;
	// otherwise empty. The entry still applies to a tool that is added later.
	Unknown string `json:"unknown,omitempty"`
}

// String returns the problem on one line.
func (p Problem) String() string {
	text := p.Field + ": " + p.Message
	if p.Source != "" {
		text = p.Source + ": " + text
	}
	return text
}

// ConfigError is the error of Compile for an invalid Config.
type ConfigError struct {
	// Problems lists all errors, at least one, without warnings.
	Problems []Problem
}

// Error lists the problems, separated by semicolons.
func (e *ConfigError) Error() string {
	return "the policy cannot be used: " + strings.Join(each.Of(e.Problems, Problem.String), "; ")
}

// place is a field of a Config and where it was written.
type place struct{ field, source string }

func (p place) at(format string, args ...any) place {
	return place{p.field + fmt.Sprintf(format, args...), p.source}
}

// problems collects errors and warnings.
type problems struct{ errors, warnings []Problem }

func (p *problems) add(at place, format string, args ...any) {
	p.errors = append(p.errors, Problem{Field: at.field, Source: at.source, Message: fmt.Sprintf(format, args...)})
}

func (p *problems) warn(at place, format string, args ...any) {
	p.warnings = append(p.warnings, Problem{Field: at.field, Source: at.source, Message: fmt.Sprintf(format, args...), Warning: true})
}

// unknown warns of a name that no tool has; near suggests the intended one.
func (p *problems) unknown(at place, name, near string) {
	p.warn(at, "no tool %q is loaded%s", name, near)
	p.warnings[len(p.warnings)-1].Unknown = name
}

// unknownParameter warns of the name of a parameter that none of the tools of a rule has. hint
// suggests a parameter of the first of these tools.
func (p *problems) unknownParameter(at place, name string, tools []string, hint string) {
	switch len(tools) {
	case 0:
		return
	case 1:
		p.warn(at, "%s has no parameter %q%s", tools[0], name, hint)
	default:
		p.warn(at, "none of the tools, such as %s, has a parameter %q%s", tools[0], name, hint)
	}
	p.warnings[len(p.warnings)-1].Unknown = name
}
