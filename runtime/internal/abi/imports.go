package abi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

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
	known, err := HostFunctions()
	if err != nil {
		return nil, err
	}
	if err := checkStubNames(known, report, stubs); err != nil {
		return nil, err
	}
	var missing []string
	types := make(map[importName]string) // of stubs
	advice := "; if the tool runs without them, list them in module.stub_imports"
	for _, imp := range report.Imports {
		problem, unknown := importProblem(known, imp)
		if unknown && (slices.Contains(stubs, AllStubs) || slices.Contains(stubs, imp.Module+"."+imp.Name)) {
			if problem = stubProblem(types, imp); problem == "" {
				stubbed = append(stubbed, imp)
			}
		}
		if problem != "" {
			missing = append(missing, problem)
		}
		if problem != "" && (!unknown || stubProblem(types, imp) != "") {
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
// a function that no host function has the name of.
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
		return fmt.Sprintf("%s has the type %s, not %s", QuoteName(name), signature, imp.Signature), false
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

// AllStubs in a list of stubs stands for all imported functions that this runtime does not provide.
// The other elements of the list are "module.name".
//
// A stub is a host function that ends the call when the guest calls it. The meter checks the fuel
// before a stub as before any host function. A stub never takes the place of a host function, and
// never has the name of the modules that wasmtool reserves for its own functions.
const AllStubs = "*"

// maxStubs limits the stubs of a module, because each load makes them again.
const maxStubs = 500

type importName struct{ module, name string }

// checkStubNames refuses names that would have no effect, because they are probably typing errors.
func checkStubNames(known map[string]string, report *rewrite.Report, stubs []string) error {
	imported := make(map[string]bool)
	for _, imp := range report.Imports {
		imported[imp.Module+"."+imp.Name] = true
	}
	for _, name := range stubs {
		switch {
		case name == AllStubs:
		case known[name] != "":
			return invalid("module.stub_imports names %s, which this runtime provides; remove it from the list", QuoteName(name))
		case !imported[name]:
			return invalid("module.stub_imports names %s, which the module does not import; remove it from the list", QuoteName(name))
		}
	}
	return nil
}

// stubProblem returns why an unknown function cannot have a stub, or "". It adds the stub to types.
func stubProblem(types map[importName]string, imp rewrite.Import) string {
	name := importName{imp.Module, imp.Name}
	quoted := "function " + QuoteName(imp.Module+"."+imp.Name)
	switch signature, twice := types[name]; {
	case imp.Module == V1 || imp.Module == ExtismHost:
		return quoted + ", which cannot be a stub, because functions of " + imp.Module + " are always wasmtool's own"
	case len(types) >= maxStubs:
		return fmt.Sprintf("%s, one of more than %d that need a stub", quoted, maxStubs)
	case imp.Module == "":
		return quoted + ", which cannot be a stub, because the name of its module is empty"
	case twice && signature != imp.Signature:
		return quoted + ", which cannot be a stub, because it is imported with two types"
	}
	if _, _, ok := stubTypes(imp.Signature); !ok {
		return quoted + ", which cannot be a stub, because its type " + imp.Signature + " has more than numbers"
	}
	types[name] = imp.Signature
	return ""
}

// stubTypes returns the parameters and results of a signature. ok is false if they are not all
// numbers.
func stubTypes(signature string) (params, results []api.ValueType, ok bool) {
	parse := func(list string) (types []api.ValueType) {
		list = strings.TrimSuffix(strings.TrimPrefix(list, "("), ")")
		for word := range strings.SplitSeq(list, ", ") {
			t, known := map[string]api.ValueType{"i32": i32, "i64": i64, "f32": api.ValueTypeF32, "f64": f64}[word]
			if known {
				types = append(types, t)
			}
			ok = ok && (known || list == "")
		}
		return types
	}
	before, after, ok := strings.Cut(signature, " -> ")
	params, results = parse(before), parse(after)
	return params, results, ok
}

// StubCalled is why the host ends a call whose guest called a stub.
type StubCalled struct{ name string }

func (s *StubCalled) Error() string {
	return "the guest called the import " + s.name + ", a stub for a function that this runtime does not provide"
}

// errStub is what a stub panics with. Unlike for an exit code, the engine adds the guest's stack.
var errStub = errors.New("a stub was called")

// addStubs adds stubs to the modules that guests import from.
func (e *Engine) addStubs(modules map[string]wazero.HostModuleBuilder, stubs []rewrite.Import) {
	for _, imp := range stubs {
		b := modules[imp.Module]
		if b == nil {
			b = e.runtime.NewHostModuleBuilder(imp.Module)
			modules[imp.Module] = b
		}
		called := &StubCalled{QuoteName(imp.Module + "." + imp.Name)}
		params, results, _ := stubTypes(imp.Signature)
		b.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, mod api.Module, _ []uint64) {
			e.onGuest(mod).current.Load().stop(called)
			panic(errStub)
		}), params, results).Export(imp.Name)
	}
}
