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

// Invalid is the error for a module that cannot run here.
type Invalid struct{ Message string }

func (e *Invalid) Error() string { return e.Message }

func invalid(format string, args ...any) error { return &Invalid{fmt.Sprintf(format, args...)} }

// CheckImports refuses a module with imports that this runtime does not provide. The *Invalid lists
// all of them. Any other error comes from the engine.
func CheckImports(report *rewrite.Report) error {
	known, err := HostFunctions()
	if err != nil {
		return err
	}
	var missing []string
	for _, imp := range report.Imports {
		if problem := importProblem(known, imp); problem != "" {
			missing = append(missing, problem)
		}
	}
	if len(missing) > 0 {
		const maxListed = 10
		if rest := len(missing) - maxListed; rest > 0 {
			missing = append(missing[:maxListed], fmt.Sprintf("and %d more", rest))
		}
		return invalid("the module has imports that this runtime does not provide: %s", strings.Join(missing, "; "))
	}
	if len(report.Imports) > 0 && report.Memory == nil {
		return invalid("the module has no memory, but imports functions that write to it; export a memory as \"memory\"")
	}
	return nil
}

// importProblem returns what is wrong with an import, or "".
func importProblem(known map[string]string, imp rewrite.Import) string {
	name := imp.Module + "." + imp.Name
	if imp.Kind != rewrite.ExternFunc {
		return fmt.Sprintf("%s is an imported %s; only functions can be imported", QuoteName(name), imp.Kind)
	}
	if imp.Module == extismUser {
		return fmt.Sprintf("function %s, which exists only in the host that the plug-in was written for", QuoteName(name))
	}
	signature, ok := known[name]
	switch {
	case ok && signature == imp.Signature:
		return ""
	case ok:
		return fmt.Sprintf("%s has the type %s, not %s", QuoteName(name), signature, imp.Signature)
	}
	problem := "function " + QuoteName(name)
	if imp.Module == WASI || imp.Module == V1 || imp.Module == ExtismHost {
		if near := suggest.Nearest(name, SortedKeys(known)); near != "" {
			problem += " (did you mean " + near + "?)"
		}
	}
	return problem
}

// QuoteName returns a printable form of a name that a guest chose: control characters are escaped,
// and the name is at most a line long.
func QuoteName(name string) string {
	const maxLength = 120
	q := strconv.Quote(plaintext.Short(name, maxLength))
	return q[1 : len(q)-1]
}

// HostFunctions returns the functions that a guest may import, as "module.function" with their
// signatures in the notation of package rewrite. It asks the engine, so the list is exactly what
// instances get.
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
		// plug-ins import these functions from the kernel module
		if err == nil && module == ExtismHost {
			host, err = e.runtime.CompileModule(ctx, kernelModule(forwarded(host.ExportedFunctions())))
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
