package abi

import (
	"context"
	"fmt"
	"slices"
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
// all of them. Functions that stubs names are not refused but returned, because they need a stub;
// see AllStubs. Any other error comes from the engine.
func CheckImports(report *rewrite.Report, stubs []string) (stubbed []rewrite.Import, err error) {
	wanted := report.ImportsFrom
	if len(stubs) > 0 {
		wanted = anyModule // a stub may have the name of a function that the module does not import
	}
	known, err := hostFunctions(wanted)
	if err != nil {
		return nil, err
	}
	if err := checkStubNames(known, report, stubs); err != nil {
		return nil, err
	}
	var missing []string
	candidates := newStubCandidates(report.Imports)
	advice := "; if the tool runs without them, list them in module.stub_imports"
	for _, imp := range report.Imports {
		problem, unknown := importProblem(known, imp)
		if unknown && (slices.Contains(stubs, AllStubs) || slices.Contains(stubs, imp.Module+"."+imp.Name)) {
			if problem = candidates.problem(imp); problem == "" {
				stubbed = append(stubbed, imp)
			}
		}
		if problem != "" {
			missing = append(missing, problem)
		}
		if problem != "" && (!unknown || candidates.problem(imp) != "") {
			advice = "" // a stub would not be enough
		}
	}
	if o := report.Origin(); o.Name != "" {
		advice = "; it is " + o.Name + ": " + o.Fix
	}
	if len(missing) > 0 {
		const maxListed = 10
		if rest := len(missing) - maxListed; rest > 0 {
			missing = append(missing[:maxListed], fmt.Sprintf("and %d more", rest))
		}
		return nil, invalid("the module has imports that this runtime does not provide: %s%s", strings.Join(missing, "; "), advice)
	}
	if len(report.Imports) > len(stubbed) && report.Memory == nil {
		return nil, invalid("the module has no memory, but imports functions that write to it; export a memory as \"memory\"")
	}
	return stubbed, nil
}

// importProblem returns what is wrong with an import, or "". unknown reports whether the import is
// a function that this runtime does not have under its name, or, for WASI, under its name and type.
func importProblem(known map[string]string, imp rewrite.Import) (problem string, unknown bool) {
	name := imp.Module + "." + imp.Name
	if imp.Kind != rewrite.ExternFunc {
		return fmt.Sprintf("%s is an imported %s; only functions can be imported", QuoteName(name), imp.Kind), false
	}
	if imp.Module == extismUser {
		return fmt.Sprintf("function %s, which exists only in the host that the plug-in was written for", QuoteName(name)), true
	}
	signature, ok := known[name]
	switch {
	case ok && signature == imp.Signature:
		return "", false
	case ok:
		// Other hosts have earlier or later forms of some functions of WASI, such as sock_accept.
		return fmt.Sprintf("%s has the type %s, not %s", QuoteName(name), signature, imp.Signature), imp.Module == WASI
	}
	problem = "function " + QuoteName(name)
	if imp.Module == WASI || imp.Module == V1 || imp.Module == ExtismHost {
		if near := suggest.Nearest(name, SortedKeys(known)); near != "" {
			problem += " (did you mean " + near + "?)"
		}
	}
	return problem, true
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
func HostFunctions() (map[string]string, error) { return hostFunctions(anyModule) }

func anyModule(string) bool { return true }

// hostFunctions is HostFunctions for the wanted modules.
func hostFunctions(wanted func(module string) bool) (map[string]string, error) {
	ctx := context.Background()
	e := &Engine{runtime: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())}
	defer e.Close()
	modules, err := e.hostModules(wanted)
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

// listens reports whether a module may call a listener of its call through an import. Each function
// that is not known to call none counts.
func listens(report *rewrite.Report) bool {
	return slices.ContainsFunc(report.Imports, func(imp rewrite.Import) bool {
		return imp.Module != WASI && (imp.Module != V1 || !slices.Contains([]string{"input_len", "input_read", "output_write", "error_write"}, imp.Name))
	})
}
