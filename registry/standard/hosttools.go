package standard

import (
	"cmp"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/executor/question"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// addHostTools registers the tools whose work the program does, the one that asks a person,
// and the one for jobs. That one comes to nothing without the tool whose calls the jobs are, and is left out then.
func (a *assembly) addHostTools(tools *registry.Registry) error {
	host := a.o.Host
	register := func(spec tool.Spec, executor tool.Executor, err error) error {
		if err != nil {
			return err
		}
		return tools.Tools().Register(spec, executor)
	}
	for _, name := range slices.Sorted(maps.Keys(host.Backends)) {
		if err := register(hosttools.Define(name, host.Backends[name])); err != nil {
			return err
		}
	}
	if a.o.Sources.Tool != "" { // one tool was asked for
		return nil
	}
	if host.Asker != nil {
		if err := register(question.Define(host.Asker)); err != nil {
			return err
		}
	}
	if host.Jobs == nil {
		return nil
	}
	jobs := *host.Jobs
	if jobs.MaxRunning <= 0 {
		jobs.MaxRunning = max(callsAtOnce(a.o)/2, 1)
	}
	table := process.NewTable(jobs)
	if _, found := tools.Tools().Get(table.Tool()); !found {
		return nil
	}
	return register(table.Define())
}

// leastCalls is how many calls may run at once where nobody says so: what package runtime has
// on the smallest machine.
const leastCalls = 64

// callsAtOnce is how many calls of a tenant may run at once, as far as that is known.
func callsAtOnce(o Options) int {
	calls := cmp.Or(max(o.Runtime.MaxCalls, 0), leastCalls)
	for _, bound := range []int{o.Registry.Schedule.MaxCalls, o.Registry.Schedule.MaxTenantCalls} {
		if bound > 0 {
			calls = min(calls, bound)
		}
	}
	return calls
}
