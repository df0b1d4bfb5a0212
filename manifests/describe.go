package manifests

import (
	"fmt"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/internal/stricttoml"
)

// Describe says how to run the module so that it describes its tool. Exactly one field is set.
type Describe struct {
	// Args are the arguments of a command, without its name.
	Args []string
	// Entry is the function to call in a reactor or an Extism plug-in.
	Entry string
}

func (c *checker) describeKeys(m *Manifest) []stricttoml.Key {
	m.Describe = new(Describe)
	return []stricttoml.Key{
		{Name: "args", Want: stricttoml.WantStrings, Read: stricttoml.ReadStrings(c.Checker, &m.Describe.Args, parseArg)},
		{Name: "entry", Want: stricttoml.WantString, Read: stricttoml.ReadString(c.Checker, &m.Describe.Entry, parseEntry)},
	}
}

// describe checks that a manifest with [describe] is for a program, and that the keys of [describe]
// fit the program's ABI.
func (c *checker) describe(m *Manifest) {
	at, table := c.At("describe"), c.Root().Get("describe")
	if table == nil {
		return
	}
	args, entry := table.Get("args") != nil, table.Get("entry") != nil
	switch {
	case m.REST != nil || m.MCP != nil:
		c.Errorf(at, "only a program can describe itself; remove [describe]")
	case args == entry:
		c.Errorf(at, "write args for a command, or entry for any other module, such as entry = \"describe\"")
	case args && len(m.Describe.Args) == 0 && len(table.Get("args").Elements()) == 0:
		c.Errorf(c.At("describe", "args"), "is empty; write the arguments with which the program describes itself, such as [\"describe\"]")
	case m.Module.ABI == ABICommand && entry:
		c.Errorf(c.At("describe", "entry"), "a command starts at _start; write args instead")
	case m.Module.ABI != "" && m.Module.ABI != ABICommand && args:
		c.Errorf(c.At("describe", "args"), "only a command has arguments; write entry instead")
	}
}

// CheckDescription checks the description that a tool gives of itself. It returns an error if the
// description is empty, or longer than a manifest allows. The caller must escape invisible
// characters.
func CheckDescription(text string) error {
	if err := checkLength(text, maxDescription); err != nil {
		return fmt.Errorf("description: %w", err)
	}
	return nil
}

// CheckParameters checks that a schema that comes from the tool itself can replace the schema in
// its manifest: it must declare every parameter that the manifest names.
func (m *Manifest) CheckParameters(schema *jsonschema.Schema) error {
	var named []string
	for _, arg := range m.Module.Args {
		named = append(named, arg.Parameters()...)
	}
	if m.Module.Stdin.Parameter != "" {
		named = append(named, m.Module.Stdin.Parameter)
	}
	for _, name := range named {
		if !declares(schema, name) {
			return fmt.Errorf("parameters: %q is missing, but the manifest names it", name)
		}
	}
	return nil
}
