package abi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Form is a form in which modules are called; see ABI of package runtime.
type Form string

// The forms.
const (
	Command Form = "command"
	Reactor Form = "reactor"
	Extism  Form = "extism"
)

// CommandExport is the function that runs a command.
const CommandExport = "_start"

// The other exports by which a module is known.
const (
	reactorExport    = "call"
	initializeExport = "_initialize"
)

// extismInitializers are the exports that prepare a plug-in; the first that is there runs.
var extismInitializers = []string{initializeExport, "__wasm_call_ctors"}

// haskellExport is the start of Haskell's run-time system, which takes no arguments here.
const (
	haskellExport    = "hs_init"
	haskellSignature = "(i32, i32) -> ()"
)

// Entry is how a module is called. The zero value is that of a command.
type Entry struct {
	Form Form
	// Export is the function to call.
	Export string
}

// WithDefaults completes an entry.
func (e Entry) WithDefaults() Entry {
	e.Form = cmp.Or(e.Form, Command)
	if e.Form == Command {
		e.Export = cmp.Or(e.Export, CommandExport)
	} else {
		e.Export = cmp.Or(e.Export, reactorExport)
	}
	return e
}

// FindEntry returns how to call a module. An empty form is read off its exports, an empty
// export is that of the form. It fails with an *Invalid when the module does not have that
// form.
func FindEntry(report *rewrite.Report, form Form, export string) (Entry, error) {
	if form == "" {
		switch {
		case importsExtism(report):
			form = Extism
		case export != "":
			form = Reactor
		case hasExport(report, CommandExport):
			form = Command
		case hasExport(report, reactorExport):
			form = Reactor
		default:
			return Entry{}, invalid("the module exports neither %s nor %s; build a WASI command (GOOS=wasip1, --target=wasm32-wasi) or a reactor", CommandExport, reactorExport)
		}
	}
	entry := Entry{Form: form, Export: export}.WithDefaults()
	if form == Extism {
		return entry, checkExtism(report, entry.Export)
	}
	if importsExtism(report) {
		return Entry{}, invalid("the module is an Extism plug-in, as it imports from %s; write module.abi = \"extism\"", ExtismHost)
	}
	want := noSignature
	if form == Reactor {
		want = "() -> i32"
	}
	if err := checkExport(report, entry.Export, want); err != nil {
		return Entry{}, err
	}
	if form == Reactor && hasExport(report, initializeExport) {
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
		return invalid("the module exports no %s", QuoteName(name))
	case report.Exports[i].Kind != rewrite.ExternFunc:
		return invalid("the export %s is a %s, not a function", QuoteName(name), report.Exports[i].Kind)
	case report.Exports[i].Signature != signature:
		return invalid("the export %s has the type %s, not %s", QuoteName(name), report.Exports[i].Signature, signature)
	case report.Exports[i].Imported:
		return invalid("the export %s is what the module imports; export a function of its own", QuoteName(name))
	}
	return nil
}

// checkExtism looks at what a plug-in is called by.
func checkExtism(report *rewrite.Report, export string) error {
	if !hasExport(report, export) {
		return noExtismExport(report, export)
	}
	if err := checkExport(report, export, "() -> i32"); err != nil && checkExport(report, export, noSignature) != nil {
		return err
	}
	for _, name := range extismInitializers {
		if hasExport(report, name) {
			if err := checkExport(report, name, noSignature); err != nil {
				return err
			}
		}
	}
	return nil
}

// noExtismExport names the functions that the plug-in could be called by: there is no name
// that most have.
func noExtismExport(report *rewrite.Report, export string) error {
	const most = 5
	var names []string
	for _, e := range report.Exports {
		if e.Kind == rewrite.ExternFunc && e.Signature == "() -> i32" && len(names) < most {
			names = append(names, QuoteName(e.Name))
		}
	}
	if len(names) == 0 {
		return invalid("the module exports no %s, nor any other function () -> i32", QuoteName(export))
	}
	return invalid("the module exports no %s; name the function to call in module.entry: %s", QuoteName(export), strings.Join(names, ", "))
}
