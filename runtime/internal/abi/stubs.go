package abi

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/wasmtool/wasmtool/runtime/rewrite"
)

// AllStubs in a list of stubs stands for all imported functions that this runtime does not provide.
// The other elements of the list are "module.name".
//
// A stub is a host function that ends the call when the guest calls it. The meter checks the fuel
// before a stub as before any host function. A stub takes the place of a host function only for a
// module that imports a function of WASI with another type, and could not run otherwise. It never
// has the name of the modules that wasmtool reserves for its own functions.
const AllStubs = "*"

// maxStubs limits the stubs of a module, because each load makes them again.
const maxStubs = 500

type importName struct{ module, name string }

// checkStubNames refuses names that would have no effect, because they are probably typing errors.
func checkStubNames(known map[string]string, report *rewrite.Report, stubs []string) error {
	imported := make(map[string]bool) // true if this runtime provides the function
	for _, imp := range report.Imports {
		name := imp.Module + "." + imp.Name
		_, unknown := importProblem(known, imp)
		imported[name] = imported[name] || known[name] != "" && !unknown
	}
	for _, name := range stubs {
		provided, found := imported[name]
		switch {
		case name == AllStubs:
		case provided || !found && known[name] != "":
			return invalid("module.stub_imports names %s, which this runtime provides; remove it from the list", QuoteName(name))
		case !found:
			return invalid("module.stub_imports names %s, which the module does not import; remove it from the list", QuoteName(name))
		}
	}
	return nil
}

// stubCandidates are the imports of a module that could have stubs.
type stubCandidates struct {
	types   map[importName]string // "" if a function is imported with two types
	stubbed map[importName]bool
}

func newStubCandidates(imports []rewrite.Import) stubCandidates {
	c := stubCandidates{make(map[importName]string), make(map[importName]bool)}
	for _, imp := range imports {
		name := importName{imp.Module, imp.Name}
		if signature, twice := c.types[name]; twice && signature != imp.Signature {
			c.types[name] = ""
		} else {
			c.types[name] = imp.Signature
		}
	}
	return c
}

// problem returns why an unknown function cannot have a stub, or "". The stub then counts towards
// maxStubs.
func (c stubCandidates) problem(imp rewrite.Import) string {
	name := importName{imp.Module, imp.Name}
	quoted := "function " + QuoteName(imp.Module+"."+imp.Name)
	switch {
	case imp.Module == V1 || imp.Module == ExtismHost:
		return quoted + ", which cannot be a stub, because functions of " + imp.Module + " are always wasmtool's own"
	case len(c.stubbed) >= maxStubs:
		return fmt.Sprintf("%s, one of more than %d that need a stub", quoted, maxStubs)
	case imp.Module == "":
		return quoted + ", which cannot be a stub, because the name of its module is empty"
	case c.types[name] != imp.Signature:
		return quoted + ", which cannot be a stub, because it is imported with two types"
	}
	if _, _, ok := stubTypes(imp.Signature); !ok {
		return quoted + ", which cannot be a stub, because its type " + imp.Signature + " has more than numbers"
	}
	c.stubbed[name] = true
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
