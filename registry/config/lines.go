package config

import (
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// AllowLines returns what to write into the file so that it grants words to a tool, besides
// what it grants already: lines to add, or to put into a table that is there. PATH in them
// stands for the folder of a mount that the file does not have.
func (c *Config) AllowLines(tool string, words []string) string {
	var mounts, allow []string
	for _, w := range c.tools[normalName(tool)].grants.allow {
		allow = append(allow, w.word.String())
	}
	for _, text := range words {
		word, err := capability.ParsePermission(text)
		isMount := err == nil && (word.Kind() == capability.KindRead || word.Kind() == capability.KindWrite)
		if isMount && !c.hasMount(word.Name()) {
			mounts = append(mounts, policy.Key(word.Name())+` = "PATH"`)
		}
		if !slices.Contains(allow, text) {
			allow = append(allow, text)
		}
	}
	lines := policy.TableLines(policy.ToolTable(tool), c.policy.Tools[normalName(tool)].Source, policy.ListLine("allow", allow))
	if mounts != nil {
		lines = policy.TableLines("mounts", c.tables["mounts"], mounts...) + "\n" + lines
	}
	return lines
}

// ShellLines returns what to write into the file so that it lets commands run that fit one
// of the patterns, besides those that it lets run already.
func (c *Config) ShellLines(patterns []string) string {
	return policy.TableLines("shell", c.tables["shell"], policy.ListLine("allow", append(slices.Clone(c.shell.Allow), patterns...)))
}

// hasMount reports whether words of the file may name a mount.
func (c *Config) hasMount(name string) bool {
	_, has := c.mounts[name]
	return has || name == capability.WorkspaceMount || name == capability.ScratchMount
}

// table notes where a table is.
func (r *reader) table(name string) stricttoml.Reader {
	return func(at stricttoml.Place, _ *stricttoml.Node) { r.c.tables[name] = r.source(at) }
}
