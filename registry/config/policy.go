package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// PolicyConfig returns the sections [policy] and [tools] for policy.Compile, which checks them
// against the existing tools. Its Sources have the form "file:line". It contains every tool of
// [tools], so that Compile warns about names that no tool has.
func (c *Config) PolicyConfig() policy.Config {
	p := c.policy
	p.Allow, p.Deny = slices.Clone(p.Allow), slices.Clone(p.Deny)
	p.Tools, p.Sources = maps.Clone(p.Tools), maps.Clone(p.Sources)
	for name, t := range p.Tools {
		if t.Enabled != nil {
			t.Enabled = new(*t.Enabled)
			p.Tools[name] = t
		}
	}
	p.Rules = slices.Clone(p.Rules)
	for i := range p.Rules {
		rule := &p.Rules[i]
		rule.Tools, rule.Capabilities = slices.Clone(rule.Tools), slices.Clone(rule.Capabilities)
		rule.Arguments = maps.Clone(rule.Arguments)
	}
	return p
}

func (r *reader) policyKeys() []stricttoml.Key {
	p := &r.c.policy
	return []stricttoml.Key{
		{Name: "profile", Want: stricttoml.WantString, Choices: policy.Profiles(), Read: r.sourced("profile", stricttoml.ReadString(r.Checker, &p.Profile, parseProfile))},
		{Name: "allow", Want: stricttoml.WantStrings, Read: r.entries("allow", &p.Allow)},
		{Name: "deny", Want: stricttoml.WantStrings, Read: r.entries("deny", &p.Deny)},
		{Name: "enable_tool_calls", Want: stricttoml.WantBool, Read: r.sourced("off", func(_ stricttoml.Place, n *stricttoml.Node) { p.Off = n.Text == "false" })},
		{Name: "ask_outside", Want: stricttoml.WantBool, Read: func(_ stricttoml.Place, n *stricttoml.Node) { p.AskOutside = n.Text == "true" }},
		r.rulesKey("policy.rules", &p.Rules, policy.Allow, policy.Ask, policy.Deny),
	}
}

func parseProfile(text string) (string, error) {
	return stricttoml.ParseChoice(text, policy.Profiles()...)
}

// sourced returns a Reader that also records the position of a field of the policy.
func (r *reader) sourced(field string, read stricttoml.Reader) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		r.c.policy.Sources[field] = r.source(at)
		read(at, n)
	}
}

// entries reads a list of tools, with the position of each element.
func (r *reader) entries(field string, list *[]string) stricttoml.Reader {
	read := stricttoml.ReadStrings(r.Checker, list, parseEntry)
	return r.sourced(field, func(at stricttoml.Place, n *stricttoml.Node) {
		read(at, n)
		// If an element is invalid, these indices are wrong. That does no harm, because a file with
		// an error is not used.
		for i, item := range n.Items {
			r.c.policy.Sources[field+"["+strconv.Itoa(i)+"]"] = r.source(at.Item(i, item.Offset))
		}
	})
}

// maxEntry limits a name or pattern in the policy, in bytes.
const maxEntry = 2048

// parseEntry reads a name or pattern, which policy.Compile checks later.
func parseEntry(text string) (string, error) {
	if text == "" || len(text) > maxEntry {
		return "", fmt.Errorf("is empty, or longer than %d bytes; write a name or a pattern", maxEntry)
	}
	return text, nil
}

// rulesKey returns the format of a list of rules, whose effects are the given ones.
func (r *reader) rulesKey(path string, rules *[]policy.Rule, effects ...policy.Effect) stricttoml.Key {
	return stricttoml.Key{
		Name: "rules", Path: path, Want: stricttoml.WantTables,
		Members: func() []stricttoml.Key {
			*rules = append(*rules, policy.Rule{})
			rule := &(*rules)[len(*rules)-1]
			return []stricttoml.Key{
				stricttoml.Choice(r.Checker, stricttoml.Key{Name: "effect", Required: `effect = "deny"`}, &rule.Effect, effects...),
				{Name: "tools", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, &rule.Tools, parseEntry)},
				{Name: "capabilities", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, &rule.Capabilities, parseEntry)},
				{Name: "arguments", Path: path + ".arguments", Want: stricttoml.WantMap, Check: checkPointer, Entry: func(pointer string) stricttoml.Key {
					return r.matchKey(path+".arguments.NAME", rule, pointer)
				}},
				{Name: "reason", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &rule.Reason, parseReason)},
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) { r.checkRule(at, n, &(*rules)[len(*rules)-1]) },
	}
}

// checkRule sets the source of a rule, and reports an error if the rule has no condition.
func (r *reader) checkRule(at stricttoml.Place, n *stricttoml.Node, rule *policy.Rule) {
	rule.Source = r.source(at)
	if n.Get("tools") == nil && n.Get("capabilities") == nil && n.Get("arguments") == nil {
		r.Errorf(at, `has no condition; add tools, capabilities or arguments, or write tools = ["*"] for every tool`)
	}
}

// maxReason limits the reason of a rule, in bytes.
const maxReason = 500

func parseReason(text string) (string, error) {
	if text == "" || len(text) > maxReason {
		return "", fmt.Errorf("is empty, or longer than %d bytes; write a short reason", maxReason)
	}
	return text, nil
}

// checkPointer checks that a JSON pointer begins with a slash, which people often leave out.
func checkPointer(pointer string) error {
	if pointer == "" || pointer[0] != '/' {
		return fmt.Errorf("is not a JSON pointer; write %s", stricttoml.Quote("/"+pointer))
	}
	return nil
}

// matchKey returns the format of a rule's condition on one argument.
func (r *reader) matchKey(path string, rule *policy.Rule, pointer string) stricttoml.Key {
	var m policy.Match
	return stricttoml.Key{
		Path: path, Want: stricttoml.WantTable,
		Fix: `write a condition, such as { glob = "**/.env" }`,
		Members: func() []stricttoml.Key {
			return []stricttoml.Key{
				{Name: "equals", Want: stricttoml.WantAny, Read: func(at stricttoml.Place, n *stricttoml.Node) { m.Equals, _ = r.JSON(at, n) }},
				{Name: "glob", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &m.Glob, parseEntry)},
				{Name: "prefix", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &m.Prefix, parseEntry)},
				{Name: "regexp", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &m.Regexp, parseEntry)},
				{Name: "missing", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&m.Missing)},
				{Name: "fold_case", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&m.FoldCase)},
			}
		},
		Read: func(at stricttoml.Place, n *stricttoml.Node) {
			r.only(at, n, "equals", "glob", "prefix", "regexp")
			if rule.Arguments == nil {
				rule.Arguments = make(map[string]policy.Match)
			}
			rule.Arguments[pointer] = m
		},
	}
}

// Shell returns the section [shell], or the zero value when the file has none.
func (c *Config) Shell() shellcommand.Settings {
	s := c.shell
	s.Allow, s.Ask, s.Deny = slices.Clone(s.Allow), slices.Clone(s.Ask), slices.Clone(s.Deny)
	return s
}

func (r *reader) shellKeys() []stricttoml.Key {
	s := &r.c.shell
	return []stricttoml.Key{
		{Name: "allow", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, &s.Allow, parseAllowedCommand)},
		{Name: "ask", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, &s.Ask, parseCommand)},
		{Name: "deny", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(r.Checker, &s.Deny, parseCommand)},
		{Name: "confirm_dangerous", Want: stricttoml.WantBool, Read: func(_ stricttoml.Place, n *stricttoml.Node) { s.Unconfirmed = n.Text == "false" }},
	}
}

func parseAllowedCommand(text string) (string, error) {
	return text, shellcommand.CheckPattern(text, true)
}

func parseCommand(text string) (string, error) { return text, shellcommand.CheckPattern(text, false) }
