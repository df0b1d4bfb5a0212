package abi

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"

	"github.com/wasmtool/wasmtool/internal/plaintext"
	"github.com/wasmtool/wasmtool/internal/suggest"
	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// Invalid says why a module cannot run here.
type Invalid struct{ Message string }

func (e *Invalid) Error() string { return e.Message }

func invalid(format string, args ...any) error { return &Invalid{fmt.Sprintf(format, args...)} }

// CheckImports refuses a module that imports what this runtime does not provide,
// naming all of it at once, with an *Invalid. Any other error is one of the engine.
func CheckImports(report *rewrite.Report) error {
	known, err := HostFunctions()
	if err != nil {
		return err
	}
	var faults []string
	for _, imp := range report.Imports {
		if fault := importFault(known, imp); fault != "" {
			faults = append(faults, fault)
		}
	}
	if len(faults) > 0 {
		const most = 10
		if more := len(faults) - most; more > 0 {
			faults = append(faults[:most], fmt.Sprintf("and %d more", more))
		}
		return invalid("the module needs what this runtime does not provide: %s", strings.Join(faults, "; "))
	}
	if len(report.Imports) > 0 && report.Memory == nil {
		return invalid("the module has no memory, which the functions it imports write to; export one as \"memory\"")
	}
	return nil
}

func importFault(known map[string]string, imp rewrite.Import) string {
	name := imp.Module + "." + imp.Name
	if imp.Kind != rewrite.ExternFunc {
		return fmt.Sprintf("%s is an imported %s, which no tool gets", QuoteName(name), imp.Kind)
	}
	if imp.Module == extismUser {
		return fmt.Sprintf("function %s, which only the host that the plug-in was written for has", QuoteName(name))
	}
	signature, ok := known[name]
	switch {
	case ok && signature == imp.Signature:
		return ""
	case ok:
		return fmt.Sprintf("%s has the type %s, not %s", QuoteName(name), signature, imp.Signature)
	}
	fault := "function " + QuoteName(name)
	if imp.Module == WASI || imp.Module == V1 || imp.Module == ExtismHost {
		if near := suggest.Nearest(name, SortedKeys(known)); near != "" {
			fault += " (did you mean " + near + "?)"
		}
	}
	return fault
}

// QuoteName shows a name that a guest chose: control characters escaped, and no
// longer than a line.
func QuoteName(name string) string {
	const most = 120
	q := strconv.Quote(plaintext.Short(name, most))
	return q[1 : len(q)-1]
}

// HostFunctions returns what a guest may import, as "module.function" with the
// signature in the notation of rewrite. It asks the engine, so the list is what
// instances really get.
func HostFunctions() (map[string]string, error) {
	ctx := context.Background()
	e := &Engine{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())}
	defer e.Close()
	modules, err := e.hostModules()
	if err != nil {
		return nil, err
	}
	known := make(map[string]string)
	for module, builder := range modules {
		host, err := builder.Compile(ctx)
		if err == nil && module == ExtismHost { // of which plug-ins get only a part from the host
			host, err = e.runtime.CompileModule(ctx, kernelModule(passedOn(host.ExportedFunctions())))
		}
		if err != nil {
			return nil, err
		}
		for name, def := range host.ExportedFunctions() {
			known[module+"."+name] = rewrite.Signature(def.ParamTypes(), def.ResultTypes())
		}
	}
	return known, nil
}
