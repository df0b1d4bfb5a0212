package manifests

import (
	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/placeholder"
)

// key is a key that a table may have. The tables of keys below are the format:
// what they do not list is refused.
type key struct {
	name string
	// path is the dotted path of a table, for texts.
	path string
	want shape
	// required is what to add when the key is missing, or "" when it may be.
	required string
	// unit turns a bare number into the text that was meant, where a unit is needed.
	unit func(literal string) string
	// read takes the value of a key that is no table.
	read reader
	// members returns the keys of a table, or of the next table of a list. Calling
	// it for a list appends an element to the manifest.
	members func() []key
}

// reader checks a value of the right type and stores it.
type reader func(at place, n *node)

// shape is what a key holds.
type shape uint8

const (
	wantText shape = iota
	wantFlag
	wantInteger
	wantTexts
	wantTable
	wantTables
	// wantJSON is a table whose keys are not of the format: an object of JSON.
	wantJSON
)

func (s shape) kind() kind {
	return [...]kind{
		wantText: kindString, wantFlag: kindBoolean, wantInteger: kindInteger, wantTexts: kindList,
		wantTable: kindTable, wantTables: kindList, wantJSON: kindTable,
	}[s]
}

// keys returns the top level of the format; reading it fills m.
func (c *checker) keys(m *Manifest) []key {
	return []key{
		{name: "manifest", want: wantInteger, required: "manifest = 1", read: c.format},
		{name: "name", want: wantText, required: `a name, such as name = "word_count"`, read: readText(c, &m.Name, parseName)},
		{name: "version", want: wantText, required: `a version, such as version = "1.0.0"`, read: readText(c, &m.Version, parseVersion)},
		{name: "title", want: wantText, read: readText(c, &m.Title, parseTitle)},
		{name: "description", want: wantText, required: "a description: what the tool does, for people and models", read: readText(c, &m.Description, parseDescription)},
		{name: "category", want: wantText, read: readText(c, &m.Category, parseWord)},
		{name: "tags", want: wantTexts, read: readTexts(c, &m.Tags, parseWord)},
		{name: "aliases", want: wantTexts, read: readTexts(c, &m.Aliases, parseName)},
		{name: "timeout", want: wantText, unit: secondsOf, read: readText(c, &m.Timeout, parseTimeout)},
		{name: "dangerous", want: wantFlag, read: readFlag(&m.Dangerous)},
		{name: "confirm", want: wantText, read: c.confirm(m)},
		{name: "module", path: "module", want: wantTable, required: `[module] with the path of the program`, members: func() []key { return c.moduleKeys(m) }},
		{name: "limits", path: "limits", want: wantTable, members: func() []key { return c.limitKeys(m) }},
		{name: "permissions", path: "permissions", want: wantTable, members: func() []key { return c.permissionKeys(m) }},
		{name: "parameters", want: wantJSON, read: c.schema(&m.Parameters, jsonschema.CompileParameters)},
		{name: "parameters_file", want: wantText, read: readText(c, &m.ParametersFile, parseSchemaPath)},
		{name: "result", want: wantJSON, read: c.schema(&m.Result, jsonschema.Compile)},
	}
}

func (c *checker) moduleKeys(m *Manifest) []key {
	return []key{
		{name: "path", want: wantText, required: `the path of the module, such as path = "tool.wasm"`, read: readText(c, &m.Module.Path, parseModulePath)},
		{name: "sha256", want: wantText, read: readText(c, &m.Module.SHA256, parseDigest)},
		{name: "abi", want: wantText, read: readText(c, &m.Module.ABI, parseABI)},
		{name: "entry", want: wantText, read: readText(c, &m.Module.Entry, parseEntry)},
		{name: "args", want: wantTexts, read: c.args(m)},
		{name: "stdin", want: wantText, read: c.stdin(m)},
		{name: "output", want: wantText, read: readText(c, &m.Module.Output, parseOutput)},
		{name: "warm", want: wantJSON, read: c.readWarm},
	}
}

func (c *checker) limitKeys(m *Manifest) []key {
	return []key{
		{name: "memory", want: wantText, unit: sizeOf, read: readText(c, &m.Limits.Memory, parseMemory)},
		{name: "output", want: wantText, unit: sizeOf, read: readText(c, &m.Limits.Output, parseOutputLimit)},
		{name: "fuel", want: wantInteger, read: readCount(c, &m.Limits.Fuel, MinFuel, MaxFuel)},
		{name: "open_files", want: wantInteger, read: readCount(c, &m.Limits.OpenFiles, MinOpenFiles, MaxOpenFiles)},
	}
}

func (c *checker) permissionKeys(m *Manifest) []key {
	return []key{
		{name: "env", want: wantTexts, read: readTexts(c, &m.Permissions.Env, parseEnvName)},
		{name: "clock", want: wantFlag, read: readFlag(&m.Permissions.Clock)},
		{name: "random", want: wantFlag, read: readFlag(&m.Permissions.Random)},
		{name: "fs", path: "permissions.fs", want: wantTables, members: func() []key { return c.fsKeys(m) }},
	}
}

func (c *checker) fsKeys(m *Manifest) []key {
	m.Permissions.FS = append(m.Permissions.FS, capability.FS{})
	fs := &m.Permissions.FS[len(m.Permissions.FS)-1]
	return []key{
		{name: "mount", want: wantText, required: `the name of a mount, such as mount = "workspace"`, read: readText(c, &fs.Mount, parseWord)},
		{name: "mode", want: wantText, required: `mode = "read"`, read: readText(c, &fs.Mode, parseMode)},
		{name: "deny", want: wantTexts, read: readTexts(c, &fs.Deny, parseDeny)},
		{name: "at", want: wantText, read: readText(c, &fs.At, parseGuestPath)},
	}
}

// readText reads a text through parse, whose errors name the fix.
func readText[T any](c *checker, target *T, parse func(text string) (T, error)) reader {
	return func(at place, n *node) {
		value, err := parse(n.text)
		if err != nil {
			c.fault(at, "%s", err)
			return
		}
		*target = value
	}
}

// readCount reads an integer from low to high.
func readCount[T int | uint64](c *checker, target *T, low, high T) reader {
	return func(at place, n *node) {
		count, err := parseCount(n.text, uint64(low), uint64(high))
		if err != nil {
			c.fault(at, "%s", err)
			return
		}
		*target = T(count)
	}
}

// readTexts reads a list of distinct texts.
func readTexts[T any](c *checker, target *[]T, parse func(text string) (T, error)) reader {
	return func(at place, n *node) {
		seen := make(map[string]bool)
		c.eachText(at, n, func(at place, n *node) {
			if seen[n.text] {
				c.fault(at, "%s is listed twice; keep one", quote(n.text))
				return
			}
			seen[n.text] = true
			var value T
			before := len(c.faults)
			readText(c, &value, parse)(at, n)
			if len(c.faults) == before {
				*target = append(*target, value)
			}
		})
	}
}

// eachText calls read for each text of a list, and reports what is no text.
func (c *checker) eachText(at place, n *node, read reader) {
	if !c.fewEnough(at, n) {
		return
	}
	for i, item := range n.items {
		at := at.item(i, item.offset)
		if item.kind != kindString {
			c.fault(at, "expected a string, got %s; write it in quotes", item.kind)
			continue
		}
		read(at, item)
	}
}

func readFlag(target *bool) reader {
	return func(_ place, n *node) { *target = n.text == "true" }
}

// format accepts any number: a file of another format is reported before its keys are read.
func (c *checker) format(place, *node) {}

func (c *checker) confirm(m *Manifest) reader {
	return func(at place, n *node) {
		text, err := parseConfirm(n.text)
		if err != nil {
			c.fault(at, "%s", err)
			return
		}
		m.Confirm = c.template(at, text)
	}
}

func (c *checker) args(m *Manifest) reader {
	return func(at place, n *node) {
		c.eachText(at, n, func(at place, n *node) {
			text, err := parseArg(n.text)
			if err != nil {
				c.fault(at, "%s", err)
				return
			}
			m.Module.Args = append(m.Module.Args, c.template(at, text))
		})
	}
}

// template parses a template and notes its placeholders.
func (c *checker) template(at place, text string) placeholder.Template {
	t, err := placeholder.Parse(text)
	if err != nil {
		c.fault(at, "%s", err)
		return placeholder.Template{}
	}
	c.placeholders(at, t.Parameters())
	return t
}

func (c *checker) stdin(m *Manifest) reader {
	return func(at place, n *node) {
		stdin, err := parseStdin(n.text)
		if err != nil {
			c.fault(at, "%s", err)
			return
		}
		if stdin.Kind == StdinParameter {
			c.placeholders(at, []string{stdin.Parameter})
		}
		m.Module.Stdin = stdin
	}
}
