package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits on rules.
const (
	maxRules           = 256
	maxCapabilities    = 256 // per rule
	maxConditions      = 32  // per rule
	maxReasonBytes     = 500
	maxPermissionBytes = 2048
	emptyRule          = `matches nothing; write tools = ["*"] for every tool`
)

// rule is a compiled Rule.
type rule struct {
	number       int
	effect       Effect
	tools        []selector
	capabilities []permissionPattern
	conditions   []*condition
	reason       string
	source       string
}

func (r *rule) restricts() bool { return r.effect != Allow }

func (c *compiler) rule(i int, r Rule) *rule {
	at := place{fmt.Sprintf("rules[%d]", i), r.Source}
	out := &rule{number: i, effect: r.Effect, reason: r.Reason, source: r.Source}
	before := len(c.errors)
	switch {
	case r.Effect > Allow:
		c.add(at, "%v; write allow, ask or deny", r.Effect)
		return nil
	case len(r.Tools) == 0 && len(r.Capabilities) == 0 && len(r.Arguments) == 0:
		c.add(at, emptyRule)
	case len(r.Capabilities) > maxCapabilities || len(r.Arguments) > maxConditions:
		c.add(at, "has more than %d capabilities or %d arguments; write several rules", maxCapabilities, maxConditions)
		return nil
	}
	if len(r.Reason) > maxReasonBytes || !utf8.ValidString(r.Reason) {
		c.add(at.at(".reason"), "is longer than %d bytes, or is not UTF-8; write a shorter reason in UTF-8", maxReasonBytes)
	}
	out.tools = c.names.selectors(r.Tools, out.restricts(), func(j int) place { return at.at(".tools[%d]", j) }, &c.problems)
	for j, entry := range r.Capabilities {
		here := at.at(".capabilities[%d]", j)
		if len(entry) > maxPermissionBytes {
			c.add(here, "is longer than %d bytes; write a shorter permission", maxPermissionBytes)
			continue
		}
		word, err := parsePermissionPattern(entry)
		if err != nil {
			c.add(here, "%v", err)
			continue
		}
		out.capabilities = append(out.capabilities, word)
	}
	for _, pointer := range slices.Sorted(maps.Keys(r.Arguments)) {
		here, m := at.at(".arguments.%q", pointer), r.Arguments[pointer]
		condition, err := compileMatch(pointer, m, out.restricts(), c.base)
		if err != nil {
			c.add(here, "%v", err)
			continue
		}
		out.conditions = append(out.conditions, condition)
		if out.restricts() && m.Glob != "" && !strings.Contains(m.Glob, "/") && !strings.HasPrefix(m.Glob, "**") {
			c.warn(here, "the glob %q matches only at the top of %s; write **/%s for every directory", m.Glob, c.base, m.Glob)
		}
	}
	if len(c.errors) > before {
		return nil
	}
	for _, condition := range out.conditions {
		c.checkParameter(at.at(".arguments.%q", condition.pointer), out, condition.tokens[0])
	}
	return out
}

// checkParameter warns if none of the known tools to which a rule applies has a parameter.
func (c *compiler) checkParameter(at place, r *rule, name string) {
	var tools []string
	hint := ""
	for _, t := range c.tools {
		if name == "*" || !r.holdsForTool(t) {
			continue
		}
		if t.Parameters == nil {
			return
		}
		meant, unknown := t.Parameters.Unknown(name)
		if !unknown {
			return
		}
		if tools = append(tools, t.Name); len(tools) == 1 {
			hint = meant
		}
	}
	c.unknownParameter(at, name, tools, hint)
}

// call is a call as rules see it.
type call struct {
	tool      ToolFacts
	words     []grantedPermission
	granted   Granted
	arguments any
	invalid   bool // the arguments are not a JSON object
	effort    *effort
}

// holds reports whether the rule matches a call. If the rule matches, the result why says what
// matched; otherwise it says what did not match.
func (r *rule) holds(c *call) (holds bool, why string) {
	if !r.holdsForTool(c.tool) {
		return false, "it does not name the tool"
	}
	matched, why := r.holdsForGrant(c.words)
	if !matched {
		return false, why
	}
	for _, condition := range r.conditions {
		if c.invalid {
			return r.restricts(), "the arguments are not a JSON object"
		}
		if !condition.holds(c.effort, c.tool.Parameters, c.arguments) {
			return false, "the argument " + condition.pointer + " does not match"
		}
	}
	return true, r.because(why)
}

func (r *rule) holdsForTool(t ToolFacts) bool {
	return len(r.tools) == 0 || slices.ContainsFunc(r.tools, func(s selector) bool {
		return r.restricts() && s.restricts(t) || !r.restricts() && s.permits(t)
	})
}

// namesTool reports whether the rule names the tool itself and not by a group or a pattern.
func (r *rule) namesTool(t ToolFacts) bool {
	return slices.ContainsFunc(r.tools, func(s selector) bool { return s.names(t) })
}

func (r *rule) holdsForGrant(words []grantedPermission) (bool, string) {
	if len(r.capabilities) == 0 {
		return true, ""
	}
	if !r.restricts() {
		for _, w := range words {
			covers := func(p permissionPattern) bool { return p.covers(w) }
			if !w.harmless && !slices.ContainsFunc(r.capabilities, covers) {
				return false, "it does not cover " + w.text
			}
		}
		return true, ""
	}
	for _, w := range words {
		if slices.ContainsFunc(r.capabilities, func(p permissionPattern) bool { return p.overlaps(w) }) {
			return true, "the call can reach " + w.text
		}
	}
	return false, "the call has none of the rule's capabilities"
}

// because returns a few words that say why the rule matches.
func (r *rule) because(grant string) string {
	var parts []string
	if grant != "" {
		parts = append(parts, grant)
	}
	for _, c := range r.conditions {
		parts = append(parts, "the argument "+c.pointer+" matches")
	}
	if parts == nil {
		return "it names the tool"
	}
	return strings.Join(parts, " and ")
}
