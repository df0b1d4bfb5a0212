package manifests

import (
	"encoding/json"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// keys returns the keys at the top level of the format. Their readers fill m.
func (c *checker) keys(m *Manifest) []stricttoml.Key {
	return []stricttoml.Key{
		{Name: "manifest", Want: stricttoml.WantInteger, Required: "manifest = 1"},
		{Name: "name", Want: stricttoml.WantString, Required: `a name, such as name = "word_count"`, Read: stricttoml.ReadString(c.Checker, &m.Name, parseName)},
		{Name: "version", Want: stricttoml.WantString, Required: `a version, such as version = "1.0.0"`, Read: stricttoml.ReadString(c.Checker, &m.Version, parseVersion)},
		{Name: "title", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Title, parseTitle)},
		{Name: "icon", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Icon, parseIcon)},
		{Name: "description", Want: stricttoml.WantString, Required: "a description: what the tool does, for people and models", Read: stricttoml.ReadString(c.Checker, &m.Description, parseDescription)},
		{Name: "category", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Category, parseWord)},
		{Name: "tags", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &m.Tags, parseWord)},
		{Name: "aliases", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &m.Aliases, parseName)},
		{Name: "timeout", Want: stricttoml.WantString, Unit: stricttoml.SecondsOf, Read: stricttoml.ReadString(c.Checker, &m.Timeout, parseTimeout)},
		{Name: "dangerous", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&m.Dangerous)},
		{Name: "confirm", Want: stricttoml.WantString, Read: c.confirm(m)},
		{Name: "polling", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&m.Polling)},
		{Name: "changes", Want: stricttoml.WantString, Read: c.parameter(&m.Changes, `write one "{parameter}"`)},
		{Name: "shell", Want: stricttoml.WantString, Read: c.parameter(&m.Shell, `write one "{parameter}"`)},
		{Name: "module", Path: "module", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return c.moduleKeys(m) }},
		{Name: "script", Path: "script", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return c.scriptKeys(m) }},
		{Name: "rest", Path: "rest", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return c.restKeys(m) }},
		{Name: "mcp", Path: "mcp", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return c.mcpKeys(m) }},
		{Name: "describe", Path: "describe", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return c.describeKeys(m) }},
		{Name: "limits", Path: "limits", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return c.limitKeys(m) }},
		{Name: "settings", Path: "settings", Want: stricttoml.WantMap, Check: checkSettingName, Entry: c.settingKey(m)},
		{Name: "permissions", Path: "permissions", Want: stricttoml.WantTable, Members: func() []stricttoml.Key { return c.permissionKeys(m) }},
		{Name: "parameters", Want: stricttoml.WantJSON, Read: c.schema(&m.Parameters, jsonschema.CompileParameters)},
		{Name: "parameters_file", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.ParametersFile, parseSchemaPath)},
		{Name: "result", Want: stricttoml.WantJSON, Read: c.schema(&m.Result, jsonschema.Compile)},
		{Name: "examples", Path: "examples", Want: stricttoml.WantTables, Members: func() []stricttoml.Key { return c.exampleKeys(m) }},
	}
}

func (c *checker) moduleKeys(m *Manifest) []stricttoml.Key {
	return slices.Concat([]stricttoml.Key{
		{Name: "path", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Module.Path, parseModulePath)},
		{Name: "runtime", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Module.Runtime, parseWord)},
		{Name: "sha256", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Module.SHA256, parseDigest)},
		stricttoml.Choice(c.Checker, stricttoml.Key{Name: "abi"}, &m.Module.ABI, ABICommand, ABIReactor, ABIExtism),
		{Name: "entry", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Module.Entry, parseEntry)},
		{Name: "mcp_tool", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Module.MCPTool, parseMCPTool)},
		{Name: "config", Path: "module.config", Want: stricttoml.WantMap, Entry: stringsByName(&m.Module.Config), Read: c.checkConfig(m)},
	}, c.streamKeys(m), []stricttoml.Key{
		{Name: "data", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Module.Data, parseDataPath)},
		{Name: "stub_imports", Want: stricttoml.WantAny, Read: c.stubImports(m)},
		{Name: "warm", Want: stricttoml.WantJSON, Read: c.json(&c.warm)},
	})
}

// streamKeys returns the keys for the command line and the streams of a program.
func (c *checker) streamKeys(m *Manifest) []stricttoml.Key {
	return []stricttoml.Key{
		{Name: "args", Want: stricttoml.WantStrings, Read: c.args(m)},
		{Name: "stdin", Want: stricttoml.WantString, Read: c.stdin(m)},
		stricttoml.Choice(c.Checker, stricttoml.Key{Name: "output"}, &m.Module.Output, OutputText, OutputJSON, OutputResult, OutputDetails),
	}
}

func (c *checker) limitKeys(m *Manifest) []stricttoml.Key {
	return []stricttoml.Key{
		{Name: "memory", Want: stricttoml.WantString, Unit: stricttoml.SizeOf, Read: stricttoml.ReadString(c.Checker, &m.Limits.Memory, parseMemory)},
		{Name: "output", Want: stricttoml.WantString, Unit: stricttoml.SizeOf, Read: stricttoml.ReadString(c.Checker, &m.Limits.Output, parseOutputLimit)},
		{Name: "fuel", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(c.Checker, &m.Limits.Fuel, MinFuel, MaxFuel)},
		{Name: "open_files", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(c.Checker, &m.Limits.OpenFiles, MinOpenFiles, MaxOpenFiles)},
		{Name: "http_requests", Want: stricttoml.WantInteger, Read: stricttoml.ReadCount(c.Checker, &m.Limits.HTTPRequests, MinHTTPRequests, MaxHTTPRequests)},
	}
}

func (c *checker) permissionKeys(m *Manifest) []stricttoml.Key {
	return []stricttoml.Key{
		{Name: "env", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &m.Permissions.Env, parseEnvName)},
		stricttoml.Choice(c.Checker, stricttoml.Key{Name: "kv"}, &m.Permissions.KV, capability.ModeNone, capability.ModeRead, capability.ModeWrite),
		{Name: "clock", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&m.Permissions.Clock)},
		{Name: "random", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&m.Permissions.Random)},
		{Name: "tools", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &m.Permissions.Tools, parseTools)},
		{Name: "fs", Path: "permissions.fs", Want: stricttoml.WantTables, Members: func() []stricttoml.Key { return c.fsKeys(m) }},
		{Name: "net", Path: "permissions.net", Want: stricttoml.WantTables, Members: func() []stricttoml.Key { return c.netKeys(m) }, Read: c.checkNet(m)},
	}
}

func (c *checker) fsKeys(m *Manifest) []stricttoml.Key {
	m.Permissions.FS = append(m.Permissions.FS, capability.FS{})
	fs := &m.Permissions.FS[len(m.Permissions.FS)-1]
	return []stricttoml.Key{
		{Name: "mount", Want: stricttoml.WantString, Required: `the name of a mount, such as mount = "workspace"`, Read: stricttoml.ReadString(c.Checker, &fs.Mount, parseWord)},
		stricttoml.Choice(c.Checker, stricttoml.Key{Name: "mode", Required: `mode = "read"`}, &fs.Mode, capability.ModeRead, capability.ModeWrite),
		{Name: "deny", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &fs.Deny, parseDeny)},
		{Name: "at", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &fs.At, parseGuestPath)},
		{Name: "others", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&fs.Others)},
	}
}

func (c *checker) netKeys(m *Manifest) []stricttoml.Key {
	m.asks = append(m.asks, ask{})
	a := &m.asks[len(m.asks)-1]
	return []stricttoml.Key{
		{Name: "url", Want: stricttoml.WantString, Required: `a URL, such as url = "https://api.example.com/v1"`, Read: c.url(a)},
		{Name: "methods", Want: stricttoml.WantStrings, Read: c.methods(&a.net)},
		{Name: "when", Path: "permissions.net.when", Want: stricttoml.WantMap, Check: checkSettingName, Entry: stringsByName(&a.when)},
		{Name: "secrets", Path: "permissions.net.secrets", Want: stricttoml.WantTables, Members: func() []stricttoml.Key { return c.secretKeys(&a.net) }},
	}
}

func (c *checker) secretKeys(net *capability.Net) []stricttoml.Key {
	net.Secrets = append(net.Secrets, capability.SecretUse{})
	s := &net.Secrets[len(net.Secrets)-1]
	return []stricttoml.Key{
		{Name: "name", Want: stricttoml.WantString, Required: `the name of a secret, such as name = "GITHUB_TOKEN"`, Read: stricttoml.ReadString(c.Checker, &s.Name, parseSecretName)},
		{Name: "header", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &s.Header, parseFilled)},
		{Name: "query", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &s.Query, parseFilled)},
		{Name: "basic", Want: stricttoml.WantBool, Read: stricttoml.ReadBool(&s.Basic)},
		{Name: "prefix", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &s.Prefix, parseFilled)},
	}
}

func (c *checker) confirm(m *Manifest) stricttoml.Reader {
	return stricttoml.ReadWith(c.Checker, parseConfirm, func(at stricttoml.Place, text string) {
		m.Confirm = c.template(at, text)
	})
}

// parameter reads the placeholder of one parameter. fix is the instruction in the error about any
// other string.
func (c *checker) parameter(target *string, fix string) stricttoml.Reader {
	parse := func(text string) (string, error) { return parseParameter(text, fix) }
	return stricttoml.ReadWith(c.Checker, parse, func(at stricttoml.Place, name string) {
		c.placeholders(at, name)
		*target = name
	})
}

func (c *checker) args(m *Manifest) stricttoml.Reader {
	read := stricttoml.ReadWith(c.Checker, parseArg, func(at stricttoml.Place, text string) {
		arg, err := placeholder.ParseArgument(text)
		if err != nil {
			c.Errorf(at, "%s", err)
		}
		c.uses = append(c.uses, use{at, arg.Parameters(), arg.Type()})
		m.Module.Args = append(m.Module.Args, arg)
	})
	return func(at stricttoml.Place, n *stricttoml.Node) { c.EachString(at, n, read) }
}

// stubImports reads true, or a list of imports.
func (c *checker) stubImports(m *Manifest) stricttoml.Reader {
	list := stricttoml.ReadStrings(c.Checker, &m.Module.StubImports, parseImport)
	return func(at stricttoml.Place, n *stricttoml.Node) {
		switch {
		case n.Kind == stricttoml.KindBoolean && n.Text == "true":
			m.Module.StubImports = []string{AllStubs}
		case n.Kind == stricttoml.KindBoolean:
		case n.Kind == stricttoml.KindList:
			list(at, n)
		default:
			c.Errorf(at, "expected true or a list of imports, got %s; write [\"env.abort\"], for example", n.Kind)
		}
	}
}

// template parses a template and records its placeholders.
func (c *checker) template(at stricttoml.Place, text string) placeholder.Template {
	t, err := placeholder.Parse(text)
	if err != nil {
		c.Errorf(at, "%s", err)
		return placeholder.Template{}
	}
	c.placeholders(at, t.Parameters()...)
	return t
}

func (c *checker) stdin(m *Manifest) stricttoml.Reader {
	return stricttoml.ReadWith(c.Checker, parseStdin, func(at stricttoml.Place, stdin Stdin) {
		if stdin.Kind == StdinParameter {
			c.placeholders(at, stdin.Parameter)
		}
		m.Module.Stdin = stdin
	})
}

// stringsByName returns the format of a key whose value is a string. Its reader stores the string
// in target under the name of the key.
func stringsByName(target *map[string]string) func(name string) stricttoml.Key {
	return func(name string) stricttoml.Key {
		return stricttoml.Key{Want: stricttoml.WantString, Read: func(_ stricttoml.Place, n *stricttoml.Node) {
			if *target == nil {
				*target = make(map[string]string)
			}
			(*target)[name] = n.Text
		}}
	}
}

// json reads a table as JSON.
func (c *checker) json(target *json.RawMessage) stricttoml.Reader {
	return func(at stricttoml.Place, n *stricttoml.Node) {
		if raw, ok := c.JSON(at, n); ok {
			*target = raw
		}
	}
}

// checkConfig limits the size of a configuration, because each call copies it to the guest.
func (c *checker) checkConfig(m *Manifest) stricttoml.Reader {
	return func(at stricttoml.Place, _ *stricttoml.Node) {
		size := 0
		for name, value := range m.Module.Config {
			size += len(name) + len(value)
		}
		if size > MaxConfigBytes {
			c.Errorf(at, "has %d bytes in names and values; the limit is %s", size, stricttoml.FormatSize(MaxConfigBytes))
		}
	}
}
