package abi

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Form is how a module is called; see ABI of package runtime.
type Form string

// The forms.
const (
	Command Form = "command"
	Reactor Form = "reactor"
	Extism  Form = "extism"
)

// CommandExport is the function that runs a command.
const CommandExport = "_start"

// Other exports by which a form is recognised.
const (
	reactorExport    = "call"
	initializeExport = "_initialize"
)

// extismInitializers are the exports that initialise a plug-in. The first export that exists runs.
var extismInitializers = []string{initializeExport, "__wasm_call_ctors"}

// haskellExport starts Haskell's run-time system; it is called without arguments.
const (
	haskellExport    = "hs_init"
	haskellSignature = "(i32, i32) -> ()"
)

// Entry is how a module is called. The zero value calls a command.
type Entry struct {
	Form Form
	// Export is the function to call.
	Export string
}

// WithDefaults fills in empty fields.
func (e Entry) WithDefaults() Entry {
	e.Form = cmp.Or(e.Form, Command)
	if e.Form == Command {
		e.Export = cmp.Or(e.Export, CommandExport)
	} else {
		e.Export = cmp.Or(e.Export, reactorExport)
	}
	return e
}

// FindEntry returns how to call a module. An empty form is derived from the module's imports and
// exports; an empty export means the default of the form. It fails with an *Invalid when the module
// does not have that form.
func FindEntry(report *rewrite.Report, form Form, export string) (Entry, error) {
	if form == "" {
		switch {
		case ImportsExtism(report):
			form = Extism
		case export != "":
			form = Reactor
		case hasExport(report, CommandExport):
			form = Command
		case hasExport(report, reactorExport):
			form = Reactor
		default:
			return Entry{}, noEntry(report)
		}
	}
	entry := Entry{Form: form, Export: export}.WithDefaults()
	if form == Extism {
		return entry, checkExtism(report, entry.Export)
	}
	if ImportsExtism(report) {
		return Entry{}, invalid("the module is an Extism plug-in, because it imports from %s; write module.abi = \"extism\"", ExtismHost)
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

// noSignature is how package rewrite prints the type of a function without parameters and results.
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
		return invalid("the export %s is an imported function; export a function that the module defines", QuoteName(name))
	}
	return nil
}

// checkExtism checks the exports by which a plug-in is called and initialised.
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

// noEntry returns the error for a module without the exports by which a form is recognised.
func noEntry(report *rewrite.Report) error {
	if names := callable(report, "() -> i32"); names != "" {
		return invalid("the module exports neither %s nor %s; name the function to call in module.entry: %s", CommandExport, reactorExport, names)
	}
	advice := "build a WASI command (GOOS=wasip1, --target=wasm32-wasip1) or a reactor"
	if o := report.Origin(); o.Name != "" {
		advice = "it is " + o.Name + ": " + o.Fix
	}
	return invalid("the module exports neither %s nor %s; %s", CommandExport, reactorExport, advice)
}

// callable lists exported functions of the types by which the module could be called.
func callable(report *rewrite.Report, types ...string) string {
	const maxNames = 5
	var names []string
	for _, e := range report.Exports {
		start := slices.Contains(extismInitializers, e.Name)
		if e.Kind == rewrite.ExternFunc && !e.Imported && !start && slices.Contains(types, e.Signature) && len(names) < maxNames {
			names = append(names, QuoteName(e.Name))
		}
	}
	return strings.Join(names, ", ")
}

// noExtismExport returns an error that lists functions by which the plug-in could be called,
// because plug-ins have no common name for them.
func noExtismExport(report *rewrite.Report, export string) error {
	names := callable(report, "() -> i32", noSignature)
	if names == "" {
		return invalid("the module exports no %s and no other function () -> i32", QuoteName(export))
	}
	return invalid("the module exports no %s; name the function to call in module.entry: %s", QuoteName(export), names)
}
