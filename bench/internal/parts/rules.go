// Package parts finds out which part of a call a processor spends its time on, from the stacks of a
// profile.
package parts

import "strings"

// Part is a part of the work for a call.
type Part string

// The parts, in the order of a call.
const (
	Arguments  Part = "arguments"
	Policy     Part = "policy"
	Queue      Part = "queue"
	Stages     Part = "stages"
	Instance   Part = "instance"
	Reset      Part = "reset"
	Guest      Part = "guest"
	Host       Part = "host functions"
	Result     Part = "result"
	Records    Part = "records"
	Goroutines Part = "goroutines"
	Collector  Part = "garbage collection"
	Other      Part = "other"
)

// All returns the parts in the order of tables.
func All() []Part {
	return []Part{Arguments, Policy, Queue, Stages, Instance, Reset, Guest, Host, Result, Records, Goroutines, Collector, Other}
}

const (
	own    = "github.com/wasmtool/wasmtool/"
	wazero = "github.com/tetratelabs/wazero/"
)

// rule assigns functions to a part. A name that ends in "." or "/" stands for all functions of a
// package, or of the packages below a directory; any other name stands for a function or type.
type rule struct {
	part  Part
	names []string
}

// stageRules name the functions at which a part begins, and not helpers that several parts use. So
// the innermost function of a stack that has a rule decides, and JSON that is read for the result
// does not count for the arguments.
func stageRules() []rule {
	const (
		pipeline = own + "registry/pipeline."
		executor = own + "registry/executor/wasm."
		engine   = wazero + "internal/engine/wazevo."
	)
	return []rule{
		{Arguments, []string{pipeline + "(*Pipeline).prepare"}},
		{Policy, []string{
			own + "registry/catalogue.", own + "registry/policy.", own + "registry/policy/",
			pipeline + "(*Pipeline).find", pipeline + "(*Pipeline).authorise", pipeline + "(*Pipeline).identified",
			pipeline + "requested", pipeline + "(*Rules)",
		}},
		{Queue, []string{own + "registry/schedule.", pipeline + "(*Pipeline).enter", own + "runtime.(*compiled).admit", own + "runtime.(*compiled).leave"}},
		{Stages, []string{own + "registry.(*Registry).Execute"}},
		{Instance, []string{
			executor + "(*Executor).call", executor + "(*Executor).bind", executor + "(*Executor).release",
			own + "runtime.", own + "runtime/internal/pool.",
		}},
		{Reset, []string{own + "runtime/internal/pool.(*Instance).finish", own + "runtime/internal/guestmem."}},
		{Guest, []string{engine + "(*callEngine)"}},
		// A command ends with a panic in a host function, for which the engine describes the stack
		// of the guest.
		{Host, []string{wazero + "api.GoModuleFunc.Call", wazero + "api.GoFunc.Call", engine + "(*callEngine).addFrame", wazero + "internal/wasmdebug."}},
		{Result, []string{
			executor + "(*Executor).result", executor + "(*Executor).diagnose", executor + "hideSecrets",
			pipeline + "prepared.checkResult", own + "runtime/internal/abi.(*Call).Output",
		}},
		{Records, []string{own + "registry/ledger.", own + "registry/ledger/"}},
		{Goroutines, []string{"runtime.newproc", "runtime.ready", "runtime.newstack", own + "runtime.(*compiled).wait"}},
	}
}

// runtimeRules are for stacks without a function of stageRules: goroutines of Go itself, and code
// without Go symbols.
func runtimeRules() []rule {
	return []rule{
		// Guest code calls memmove itself for memory.copy; then the stack has no other function.
		{Guest, []string{"runtime._ExternalCode", "runtime.memmove"}},
		{Goroutines, []string{"runtime.mcall", "runtime.mstart", "runtime.goexit0", "runtime.sysmon"}},
		{Collector, []string{
			"runtime.gcBgMarkWorker", "runtime.bgsweep", "runtime.bgscavenge", "runtime._GC", "runtime.runFinalizers", "runtime.runCleanups",
		}},
	}
}

// Of returns the part of a sample. The stack has the names of its functions, the innermost first.
func Of(stack []string) Part {
	for _, rules := range [][]rule{stageRules(), runtimeRules()} {
		for _, function := range stack {
			if part, found := find(rules, function); found {
				return part
			}
		}
	}
	return Other
}

// find returns the part of the longest name that stands for the function.
func find(rules []rule, function string) (part Part, found bool) {
	longest := 0
	for _, r := range rules {
		for _, name := range r.names {
			if len(name) > longest && standsFor(name, function) {
				longest, part = len(name), r.part
			}
		}
	}
	return part, longest > 0
}

// standsFor reports whether the name of a rule stands for a function: for a function also its
// closures and instances of its type parameters, for a type its methods.
func standsFor(name, function string) bool {
	rest, found := strings.CutPrefix(function, name)
	return found && (rest == "" || strings.HasSuffix(name, ".") || strings.HasSuffix(name, "/") || strings.ContainsAny(rest[:1], ".[-"))
}
