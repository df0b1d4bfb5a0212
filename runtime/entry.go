package runtime

import (
	"github.com/wasmtool/wasmtool/runtime/internal/abi"
)

// ABI is the interface through which a module is called; docs/abi.md describes each.
type ABI string

// The supported ABIs.
const (
	// Command is a WASI preview 1 program. Its _start function runs; input and output are the
	// standard streams.
	Command ABI = "command"
	// Reactor exports a function () -> i32, and imports functions for its input and output.
	Reactor ABI = "reactor"
	// Extism is an Extism plug-in: it exports a function () -> i32 or () -> () and
	// imports from extism:host/env.
	Extism ABI = "extism"
)

// Entry is how a module is called. The zero value calls a command.
type Entry struct {
	ABI ABI
	// Export is the function to call.
	Export string
}

// Entry returns how to call the module. An empty form is derived from the module's imports and
// exports; an empty export means the default of the ABI. It fails with InvalidModule when the
// module does not have that form.
func (m *Module) Entry(form ABI, export string) (Entry, error) {
	entry, err := abi.FindEntry(m.c.engine.Report, abi.Form(form), export)
	if err != nil {
		return Entry{}, invalid(nil, "%s", err)
	}
	return Entry{ABI: ABI(entry.Form), Export: entry.Export}, nil
}
