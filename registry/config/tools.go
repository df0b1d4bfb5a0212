package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// maxToolName is the most bytes of the name of a tool.
const maxToolName = 128

// checkToolName takes names of all kinds of tools, whose grammars differ.
func checkToolName(name string) error {
	switch {
	case name == "" || len(name) > maxToolName || !plaintext.Plain(name, plaintext.Word):
		return fmt.Errorf("is not the name of a tool; write up to %d printable characters", maxToolName)
	case strings.ContainsAny(name, "*:"):
		return errors.New("is a group or a pattern; name one tool here, or write a rule in [[policy.rules]]")
	case normalName(name) != name:
		return fmt.Errorf("is not in the form in which names are compared; write [tools.%s]", normalName(name))
	}
	return nil
}

// normalName is the form in which names of tools are compared.
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

// digestText is the form of digests, as wasmtool prints them.
var digestText = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func parseDigest(text string) (string, error) {
	lower := strings.ToLower(text)
	switch {
	case digestText.MatchString(lower):
		return lower, nil
	case digestText.MatchString("sha256:" + lower):
		return "", fmt.Errorf("%s does not name its kind; write %q", stricttoml.Quote(text), "sha256:"+lower)
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

// maxSetting is the most bytes of the name and of the value of a setting.
const maxSetting = 4096

// Setting is a value that the file gives to a setting of a tool.
type Setting struct {
	Value string
	// Source is where this was written, as "file:line".
	Source string
}

// Settings returns what [tools.NAME.settings] says for the tool of that name, by the names
// of its settings; empty for nothing. Whether the tool has them, and takes the values, is for
// its manifest to say.
func (c *Config) Settings(tool string) map[string]Setting {
	return maps.Clone(c.tools[normalName(tool)].settings)
}

// ToolsWithSettings returns the names, in lower case and sorted, of the tools that the file
// has settings for.
func (c *Config) ToolsWithSettings() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.tools)) {
		if len(c.tools[name].settings) > 0 {
			names = append(names, name)
		}
	}
	return names
}

// settingKey reads one setting of a tool.
func (r *reader) settingKey(settings map[string]Setting) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		return stricttoml.Key{Path: "tools.NAME.settings.NAME", Want: stricttoml.WantString, Read: func(at stricttoml.Place, n *stricttoml.Node) {
			if len(n.Text) > maxSetting || !plaintext.Plain(n.Text, plaintext.Word) {
				r.Errorf(at, "is longer than %d bytes, or holds a character that is not printable; write another value", maxSetting)
				return
			}
			settings[name] = Setting{Value: n.Text, Source: r.source(at)}
		}}
	}
}

// checkSettingName refuses what no manifest has for a setting.
func checkSettingName(name string) error {
	if name == "" || len(name) > maxToolName || !plaintext.Plain(name, plaintext.Word) {
		return errors.New("is not the name of a setting; 'wasmtool show' lists those of a tool")
	}
	return nil
}

// Unfit is the fault of a setting that its tool does not take, with the place in the file.
func (s Setting) Unfit(tool string, problem error) error {
	return fmt.Errorf("%s: tools.%s.settings.%w", s.Source, tool, problem)
}
