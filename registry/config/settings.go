package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// maxSetting is the most bytes of the name and of the value of a setting.
const maxSetting = 4096

// Setting is a value that the file gives to a setting of a tool.
type Setting struct {
	Value string
	// Source is where this was written, as "file:line".
	Source string
}

// Settings returns what [tools.NAME.settings] says for the tool of that name, by the names
// of its settings; nil for nothing. Whether the tool has them, and takes the values, is for
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
func (r *reader) settingKey(settings *map[string]Setting) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		return stricttoml.Key{Path: "tools.NAME.settings.NAME", Want: stricttoml.WantText, Read: func(at stricttoml.Place, n *stricttoml.Node) {
			if len(n.Text) > maxSetting || !plaintext.Plain(n.Text, plaintext.Word) {
				r.Fault(at, "is longer than %d bytes, or holds a character that is not printable; write another value", maxSetting)
				return
			}
			if *settings == nil {
				*settings = make(map[string]Setting)
			}
			(*settings)[name] = Setting{Value: n.Text, Source: r.source(at)}
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
