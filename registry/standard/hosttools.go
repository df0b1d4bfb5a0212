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

// addHostTools registers the tools that the embedding program implements, and the tools "question"
// and "process". It leaves out "process" if the tool that its jobs call is not loaded.
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
	if a.o.Sources.Tool != "" { // only that tool is loaded
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
		jobs.MaxRunning = max(maxTenantCalls(a.o)/2, 1)
	}
	table := process.NewTable(jobs)
	if !tools.Tools().Has(table.Tool()) {
		return nil
	}
	return register(table.Define())
}

// defaultCalls is the number of concurrent calls when no option limits it: the default of package
// runtime on the smallest machine.
const defaultCalls = 64

// maxTenantCalls returns how many calls of a tenant may run concurrently, according to the options.
func maxTenantCalls(o Options) int {
	calls := cmp.Or(max(o.Runtime.MaxCalls, 0), defaultCalls)
	for _, bound := range []int{o.Registry.Schedule.MaxCalls, o.Registry.Schedule.MaxTenantCalls} {
		if bound > 0 {
			calls = min(calls, bound)
		}
	}
	return calls
}
