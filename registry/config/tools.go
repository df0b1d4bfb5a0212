package config

import (
	"errors"
	"fmt"
	"regexp"
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
	var settings toolSettings
	var rule policy.ToolRule
	return stricttoml.Key{
		Path: "tools.NAME", Want: stricttoml.WantTable,
		Members: func() []stricttoml.Key {
			keys := []stricttoml.Key{
				{Name: "enabled", Want: stricttoml.WantFlag, Read: func(_ stricttoml.Place, n *stricttoml.Node) {
					enabled := n.Text == "true"
					rule.Enabled = &enabled
				}},
				{Name: "auto_execute", Want: stricttoml.WantFlag, Read: stricttoml.ReadFlag(&rule.AutoExecute)},
			}
			keys = append(keys, r.grantKeys(&settings.grants)...)
			keys = append(keys, stricttoml.Key{Name: "settings", Path: "tools.NAME.settings", Want: stricttoml.WantNamed, Check: checkSettingName, Entry: r.settingKey(&settings.settings)})
			return append(keys, stricttoml.Key{Name: "digest", Want: stricttoml.WantText, Read: stricttoml.ReadText(r.Checker, &settings.digest, parseDigest)})
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
	return []stricttoml.Key{{Name: "digests", Want: stricttoml.WantTexts, Read: func(at stricttoml.Place, n *stricttoml.Node) {
		var digests []string
		stricttoml.ReadTexts(r.Checker, &digests, parseDigest)(at, n)
		for _, digest := range digests {
			r.c.revoked[digest] = true
		}
	}}}
}
