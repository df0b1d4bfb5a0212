package runtime

import (
	"slices"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// ABI is a form in which modules are called; docs/abi.md describes them.
type ABI string

// The forms.
const (
	// Command is a WASI preview 1 program: _start runs, input and output are the
	// standard streams.
	Command ABI = "command"
	// Reactor exports a function () -> i32 and imports its input and output.
	Reactor ABI = "reactor"
	// Extism is an Extism plug-in: it exports a function () -> i32 or () -> () and
	// imports from extism:host/env.
	Extism ABI = "extism"
)

// The exports by which a module is known.
const (
	commandExport    = "_start"
	reactorExport    = "call"
	initializeExport = "_initialize"
)

// Entry is how a module is called. The zero value is that of a command.
type Entry struct {
	ABI ABI
	// Export is the function to call.
	Export string
}

func (e Entry) withDefaults() Entry {
	if e.ABI == "" {
		e.ABI = Command
	}
	if e.Export == "" {
		e.Export = commandExport
		if e.ABI != Command {
			e.Export = reactorExport
		}
	}
	return e
}

// Entry returns how to call the module. An empty abi is read off its exports, an
// empty export is that of the ABI. It fails with InvalidModule when the module does
// not have that form.
func (m *Module) Entry(abi ABI, export string) (Entry, error) {
	return findEntry(m.c.report, abi, export)
}

func findEntry(report *rewrite.Report, abi ABI, export string) (Entry, error) {
	if abi == "" {
		switch {
		case importsExtism(report):
			abi = Extism
		case export != "":
			abi = Reactor
		case hasExport(report, commandExport):
			abi = Command
		case hasExport(report, reactorExport):
			abi = Reactor
		default:
			return Entry{}, invalid(nil, "the module exports neither %s nor %s; build a WASI command (GOOS=wasip1, --target=wasm32-wasi) or a reactor", commandExport, reactorExport)
		}
	}
	entry := Entry{ABI: abi, Export: export}.withDefaults()
	if abi == Extism {
		return entry, checkExtism(report, entry.Export)
	}
	if importsExtism(report) {
		return Entry{}, invalid(nil, "the module is an Extism plug-in, as it imports from %s; write module.abi = \"extism\"", extismModule)
	}
	want := noSignature
	if abi == Reactor {
		want = "() -> i32"
	}
	if err := checkExport(report, entry.Export, want); err != nil {
		return Entry{}, err
	}
	if abi == Reactor && hasExport(report, initializeExport) {
		return entry, checkExport(report, initializeExport, noSignature)
	}
	return entry, nil
}

// noSignature is how rewrite prints the type of a function without parameters and
// results.
const noSignature = "() -> ()"

func hasExport(report *rewrite.Report, name string) bool {
	return slices.ContainsFunc(report.Exports, func(e rewrite.Export) bool { return e.Name == name })
}

func checkExport(report *rewrite.Report, name, signature string) error {
	i := slices.IndexFunc(report.Exports, func(e rewrite.Export) bool { return e.Name == name })
	switch {
	case i < 0:
		return invalid(nil, "the module exports no %s", quoteName(name))
	case report.Exports[i].Kind != rewrite.ExternFunc:
		return invalid(nil, "the export %s is a %s, not a function", quoteName(name), report.Exports[i].Kind)
	case report.Exports[i].Signature != signature:
		return invalid(nil, "the export %s has the type %s, not %s", quoteName(name), report.Exports[i].Signature, signature)
	case report.Exports[i].Imported:
		return invalid(nil, "the export %s is what the module imports; export a function of its own", quoteName(name))
	}
	return nil
}
