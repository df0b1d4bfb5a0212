package standard

import (
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/process"
)

// addHostTools registers the tools whose work the program does, and the one for jobs. That
// one comes to nothing without the tool whose calls the jobs are, and is left out then.
func addHostTools(o Options, tools *registry.Registry) error {
	for _, name := range slices.Sorted(maps.Keys(o.Backends)) {
		spec, executor, err := hosttools.Define(name, o.Backends[name])
		if err == nil {
			err = tools.Register(spec, executor)
		}
		if err != nil {
			return err
		}
	}
	if o.Jobs == nil {
		return nil
	}
	table := process.NewTable(*o.Jobs)
	if _, found := tools.Get(table.Tool()); !found {
		return nil
	}
	spec, executor, err := table.Define()
	if err != nil {
		return err
	}
	return tools.Register(spec, executor)
}
