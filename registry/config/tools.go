package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/lazyregexp"
	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// maxToolName limits the name of a tool, in bytes.
const maxToolName = 128

// checkToolName checks the name of a tool. It accepts the names of all kinds of tools, whose
// grammars differ.
func checkToolName(name string) error {
	switch {
	case name == "" || len(name) > maxToolName || !plaintext.Plain(name, plaintext.Word):
		return fmt.Errorf("is not the name of a tool; write up to %d printable characters", maxToolName)
	case strings.ContainsAny(name, "*:"):
		return errors.New("is a group or a pattern; name one tool here, or write a rule in [[policy.rules]]")
	case normalName(name) != name:
		return fmt.Errorf("is not in lower case, or has spaces at an end; write [tools.%s]", normalName(name))
	}
	return nil
}

// normalName returns the form in which the names of tools are compared.
func normalName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

func (r *reader) toolKey(name string) stricttoml.Key {
	settings := toolSettings{settings: make(map[string]Setting)}
	var rule policy.ToolRule
	return stricttoml.Key{
		Path: "tools.NAME", Want: stricttoml.WantTable,
		Members: func() []stricttoml.Key {
			return slices.Concat([]stricttoml.Key{
				{Name: "enabled", Want: stricttoml.WantBool, Read: func(_ stricttoml.Place, n *stricttoml.Node) {
					rule.Enabled = new(n.Text == "true")
				}},
				{Name: "auto_execute", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&rule.AutoExecute)},
				{Name: "retry", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&settings.options.Retry)},
				{Name: "read_only", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&settings.options.ReadOnly)},
				{Name: "strict", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&settings.options.Strict)},
			}, r.grantKeys(&settings.grants), []stricttoml.Key{
				{Name: "settings", Path: "tools.NAME.settings", Want: stricttoml.WantMap, Check: checkSettingName, Entry: r.settingKey(settings.settings)},
				{Name: "digest", Want: stricttoml.WantString, Read: stricttoml.ReadString(r.Checker, &settings.digest, parseDigest)},
			})
		},
		Read: func(at stricttoml.Place, _ *stricttoml.Node) {
			rule.Source = r.source(at)
			if r.c.policy.Tools == nil {
				r.c.policy.Tools = make(map[string]policy.ToolRule)
			}
			r.c.policy.Tools[name] = rule
			r.c.tools[name] = settings
		},
	}
}

// ToolOptions are the operator's options for one tool that are neither permissions nor policy. The
// zero value changes nothing.
type ToolOptions struct {
	// Retry means that a call that failed may be repeated even if it changed something.
	Retry bool
	// ReadOnly declares that calls of a tool outside the sandbox change nothing.
	ReadOnly bool
	// Strict makes undeclared arguments an error.
	Strict bool
}

// ToolOptions returns the options of the tools that have any, by the name of the tool in lower
// case.
func (c *Config) ToolOptions() map[string]ToolOptions {
	options := make(map[string]ToolOptions)
	for name, t := range c.tools {
		if t.options != (ToolOptions{}) {
			options[name] = t.options
		}
	}
	return options
}

// digestText matches a digest in the form that wasmtool prints.
var digestText = lazyregexp.New(`^sha256:[0-9a-f]{64}$`)

func parseDigest(text string) (string, error) {
	lower := strings.ToLower(text)
	switch {
	case digestText.MatchString(lower):
		return lower, nil
	case digestText.MatchString("sha256:" + lower):
		return "", fmt.Errorf("%s has no algorithm; write %q", stricttoml.Quote(text), "sha256:"+lower)
	}
	return "", fmt.Errorf(`%s is not a digest; write "sha256:" and 64 hexadecimal digits`, stricttoml.Quote(text))
}

func (r *reader) revokedKeys() []stricttoml.Key {
	return []stricttoml.Key{{Name: "digests", Want: stricttoml.WantStrings, Read: func(at stricttoml.Place, n *stricttoml.Node) {
		var digests []string
		stricttoml.ReadStrings(r.Checker, &digests, parseDigest)(at, n)
		for _, digest := range digests {
			r.c.revoked[digest] = true
		}
	}}}
}

// maxSetting limits the value of a setting, in bytes.
const maxSetting = 4096

// Setting is the value of a tool's setting in the file.
type Setting struct {
	Value string
	// Source is the position of the value as "file:line".
	Source string
}

// Settings returns the values in [tools.NAME.settings] of the named tool, by the name of the
// setting. It does not check them: the tool's manifest decides which settings and values are valid.
func (c *Config) Settings(tool string) map[string]Setting {
	return maps.Clone(c.tools[normalName(tool)].settings)
}

// ToolsWithSettings returns the sorted names, in lower case, of the tools that have settings in the
// file.
func (c *Config) ToolsWithSettings() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.tools)) {
		if len(c.tools[name].settings) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// settingKey returns the format of one setting of a tool.
func (r *reader) settingKey(settings map[string]Setting) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		return stricttoml.Key{Path: "tools.NAME.settings.NAME", Want: stricttoml.WantString, Read: func(at stricttoml.Place, n *stricttoml.Node) {
			if len(n.Text) > maxSetting || !plaintext.Plain(n.Text, plaintext.Word) {
				r.Errorf(at, "is longer than %d bytes, or contains a character that is not printable; write another value", maxSetting)
				return
			}
			settings[name] = Setting{Value: n.Text, Source: r.source(at)}
		}}
	}
}

// checkSettingName refuses names that a setting in a manifest cannot have.
func checkSettingName(name string) error {
	if name == "" || len(name) > maxToolName || !plaintext.Plain(name, plaintext.Word) {
		return errors.New("is not the name of a setting; 'wasmtool show' lists the settings of a tool")
	}
	return nil
}

// Unfit returns the error for a setting that the tool does not accept, with the position of the
// setting in the file.
func (s Setting) Unfit(tool string, problem error) error {
	return fmt.Errorf("%s: tools.%s.settings.%w", s.Source, tool, problem)
}
