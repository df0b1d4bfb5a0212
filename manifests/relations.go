package manifests

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// relations checks the rules that involve more than one key, and sets the defaults that depend on
// other keys.
func (c *checker) relations(m *Manifest) {
	m.Title = cmp.Or(m.Title, m.Name)
	if m.Name != "" {
		for i, alias := range c.Root().Get("aliases").Elements() {
			if alias.Text == m.Name {
				c.Errorf(c.At("aliases", strconv.Itoa(i)), "%q is the tool's own name; leave it out", m.Name)
			}
		}
	}
	c.kind(m)
	c.script(m)
	if outside(m.Module.Path) && c.Root().Get("module").Get("sha256") == nil {
		c.Errorf(c.At("module", "path"), "leaves the manifest's directory; add sha256 with the digest of the module, or put the module next to the manifest")
	}
	c.program(m)
	c.abi(m)
	c.describe(m)
	m.places = make(map[string]position)
	for _, key := range []string{"module.path", "script.path", "module.runtime", "module.sha256", "module.data", "module.args", "module.config", "module.warm", "describe.args", "describe.entry", "limits.memory", "settings", "mcp.server"} {
		line, column := c.Position(c.At(strings.Split(key, ".")...))
		m.places[key] = position{line, column}
	}
	c.output(m)
	c.mounts(m)
	c.nets(m, c.settings(m))
	c.examples(m)
	c.parameters(m)
}

// program checks that [module] names one program.
func (c *checker) program(m *Manifest) {
	module := c.Root().Get("module")
	if module == nil || module.Kind != stricttoml.KindTable {
		return
	}
	path, runtime := module.Get("path"), module.Get("runtime")
	switch {
	case path == nil && runtime == nil:
		c.Errorf(c.At("module").Member("path", module.Offset), `missing; add the path of the module, such as path = "tool.wasm"`)
	case path != nil && runtime != nil:
		c.Errorf(c.At("module", "runtime"), "the module has a path as well; keep one of the two")
	case runtime != nil && module.Get("sha256") != nil:
		c.Errorf(c.At("module", "sha256"), "wasmtool knows the digest of a runtime; remove sha256")
	case runtime != nil && (m.Module.ABI != "" && m.Module.ABI != ABICommand || m.Module.Entry != ""):
		c.Errorf(c.At("module", "runtime"), "a runtime is a command; remove abi and entry")
	}
}

// abi reports keys that are not allowed with the module's ABI.
func (c *checker) abi(m *Manifest) {
	abi, tool := m.Module.ABI, m.Module.MCPTool != ""
	reactor := abi == ABIReactor || abi == "" && m.Module.Entry != ""
	for _, misplaced := range []struct {
		holds    bool
		key, fix string
	}{
		{abi == ABICommand, "entry", `a command starts at _start; remove entry, or write abi = "reactor"`},
		{abi == ABIExtism, "warm", "an Extism plug-in has no warm-up; remove warm"},
		{abi == ABICommand || abi == ABIReactor, "config", `only an Extism plug-in has a configuration; remove config, or write abi = "extism"`},
		{tool && abi != ABIExtism, "mcp_tool", `mcp_tool is only for Extism plug-ins; write abi = "extism", or remove mcp_tool`},
		{tool, "stdin", "remove stdin; mcp_tool determines the input"},
		{tool, "output", "remove output; mcp_tool determines the output"},
		{abi == ABICommand, "warm", `a command has no warm-up; remove warm, or write abi = "reactor"`},
		{abi == ABIExtism, "args", "an Extism plug-in has no command line; its input has all arguments"},
		{reactor, "args", "a reactor has no command line; its input has all arguments"},
	} {
		if misplaced.holds && c.Root().Get("module").Get(misplaced.key) != nil {
			c.Errorf(c.At("module", misplaced.key), "%s", misplaced.fix)
		}
	}
}

func (c *checker) output(m *Manifest) {
	if m.REST != nil || m.MCP != nil || m.Script.Path != "" && !m.Script.Program {
		return
	}
	table := "module"
	if m.Script.Path != "" {
		table = "script"
	}
	output := c.Root().Get(table).Get("output")
	if c.Root().Get("result") == nil {
		if m.Module.Output == OutputDetails {
			c.Errorf(c.At(table, "output"), `"details" are described by a schema; add [result], or write "result"`)
		}
		return
	}
	if output == nil {
		m.Module.Output = OutputJSON
	} else if output.Kind == stricttoml.KindString && output.Text == OutputText.String() {
		c.Errorf(c.At(table, "output"), `[result] cannot describe "text"; write "json" or "result", or leave [result] out`)
	}
}

// mounts checks that no mount is listed twice, that no mount is inside another, and that the
// scratch mount is writable.
func (c *checker) mounts(m *Manifest) {
	const dataPath = "/tool"
	for i, later := range m.Permissions.FS {
		if later.Mount == capability.ScratchMount && later.Mode == capability.ModeRead {
			c.Errorf(c.At("permissions", "fs", strconv.Itoa(i), "mode"), "%q is an empty directory for each call, with nothing to read; write %q", later.Mount, capability.ModeWrite)
		}
		if later.Others && later.Mount != capability.WorkspaceMount {
			c.Errorf(c.At("permissions", "fs", strconv.Itoa(i), "others"), "only the mount %q can ask for the other workspaces; remove others", capability.WorkspaceMount)
		}
		if at := later.GuestPath(); m.HasData() && (below(dataPath, at) || below(at, dataPath)) {
			c.Errorf(c.At("permissions", "fs", strconv.Itoa(i), "at"), "%s of mount %q and %s, where the module sees its data, overlap; give the mount another path", stricttoml.Quote(at), later.Mount, dataPath)
		}
		for _, earlier := range m.Permissions.FS[:i] {
			if later.Mount == "" || earlier.Mount == "" {
				continue // the missing name is already reported
			}
			if later.Mount == earlier.Mount {
				c.Errorf(c.At("permissions", "fs", strconv.Itoa(i), "mount"), "%q is mounted twice; keep one, with the deny patterns of both", later.Mount)
				break
			}
			if a, b := earlier.GuestPath(), later.GuestPath(); below(a, b) || below(b, a) {
				c.Errorf(c.At("permissions", "fs", strconv.Itoa(i), "at"), "%s of mount %q and %s of mount %q overlap; give them separate paths", stricttoml.Quote(b), later.Mount, stricttoml.Quote(a), earlier.Mount)
				break
			}
		}
	}
}

// below reports whether the clean absolute path inner is dir or is inside it.
func below(dir, inner string) bool {
	return inner == dir || strings.HasPrefix(inner, strings.TrimSuffix(dir, "/")+"/")
}

// warmUp makes the input of the warm-up from its arguments, in the same way as the input of a call.
func (c *checker) warmUp(m *Manifest) {
	if c.warm == nil {
		return
	}
	steps := []string{"module", "warm"}
	arguments, ok := c.fit(m, c.warm, steps)
	if !ok {
		return
	}
	at := c.At(steps...)
	stdin := m.Module.Stdin
	input := stdin.Input(arguments.JSON, arguments.Text)
	switch {
	case len(input) > MaxWarmBytes:
		c.Errorf(at, "makes an input of %d bytes; the limit is %s", len(input), stricttoml.FormatSize(MaxWarmBytes))
	case len(input) > 0:
		m.Module.Warm = input
	// If the parameter is not declared, the error is already reported for stdin.
	case stdin.Kind == StdinNone || declares(m.Parameters, stdin.Parameter):
		c.Errorf(at, "makes an empty input with stdin = %s, but a warm-up needs an input; change warm or stdin", stricttoml.Quote(stdin.String()))
	}
}

func declares(schema *jsonschema.Schema, name string) bool {
	return slices.ContainsFunc(schema.Parameters(), func(p jsonschema.Parameter) bool { return p.Name == name })
}
