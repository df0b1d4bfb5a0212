package config

import (
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
	"github.com/wasmtool/wasmtool/registry/policy"
)

// AllowLines returns the lines with which the file grants more permissions to a tool. The operator
// must add them to the file or to one of its tables. They repeat the permissions that the tool
// already has. If the file does not have a mount, the lines have PATH for its directory.
func (c *Config) AllowLines(tool string, permissions []string) string {
	var mounts, allow []string
	for _, a := range c.tools[normalName(tool)].grants.allow {
		allow = append(allow, a.permission.String())
	}
	for _, text := range permissions {
		p, err := capability.ParsePermission(text)
		isMount := err == nil && (p.Kind() == capability.KindRead || p.Kind() == capability.KindWrite)
		if isMount && !c.hasMount(p.Name()) {
			mounts = append(mounts, policy.Key(p.Name())+` = "PATH"`)
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

// ShellLines returns the lines that the operator must write into the file so that it also allows
// commands that match one of the patterns. They repeat the patterns that the file already has.
func (c *Config) ShellLines(patterns []string) string {
	return policy.TableLines("shell", c.tables["shell"], policy.ListLine("allow", append(slices.Clone(c.shell.Allow), patterns...)))
}

// hasMount reports whether permissions in the file may name a mount.
func (c *Config) hasMount(name string) bool {
	_, has := c.mounts[name]
	return has || name == capability.WorkspaceMount || name == capability.ScratchMount
}

// table returns a Reader that records the position of a table.
func (r *reader) table(name string) stricttoml.Reader {
	return func(at stricttoml.Place, _ *stricttoml.Node) { r.c.tables[name] = r.source(at) }
}
