package config

import (
	"slices"

	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy/shellcommand"
)

// Shell returns the section [shell]. The zero value is that of a file without one.
func (c *Config) Shell() shellcommand.Settings {
	s := c.shell
	s.Allow, s.Ask, s.Deny = slices.Clone(s.Allow), slices.Clone(s.Ask), slices.Clone(s.Deny)
	return s
}

func (r *reader) shellKeys() []stricttoml.Key {
	s := &r.c.shell
	return []stricttoml.Key{
		{Name: "allow", Want: stricttoml.WantTexts, Read: stricttoml.ReadTexts(r.Checker, &s.Allow, parseAllowedCommand)},
		{Name: "ask", Want: stricttoml.WantTexts, Read: stricttoml.ReadTexts(r.Checker, &s.Ask, parseCommand)},
		{Name: "deny", Want: stricttoml.WantTexts, Read: stricttoml.ReadTexts(r.Checker, &s.Deny, parseCommand)},
		{Name: "confirm_dangerous", Want: stricttoml.WantFlag, Read: func(_ stricttoml.Place, n *stricttoml.Node) { s.Unconfirmed = n.Text == "false" }},
	}
}

func parseAllowedCommand(text string) (string, error) {
	return text, shellcommand.CheckPattern(text, true)
}

func parseCommand(text string) (string, error) { return text, shellcommand.CheckPattern(text, false) }
