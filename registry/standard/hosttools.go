package standard

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/executor/question"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
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

// ReadResultTool is the name of the tool that reads the rest of truncated texts. New adds it if
// ledger.Options.MaxText is set.
const ReadResultTool = "read_result"

// noteRoom is the number of bytes of a page that are reserved for the note about the next offset.
const noteRoom = 80

// addReadResult registers the tool that reads truncated texts, if texts are truncated. A page is
// short enough not to be truncated itself.
func (a *assembly) addReadResult(tools *registry.Registry) error {
	kept, maxText := a.o.Registry.Calls.Results, a.o.Registry.Calls.MaxText
	if maxText <= 0 {
		return nil
	}
	type input struct {
		Handle string `json:"handle" jsonschema:"The handle of the result, such as result_ABC."`
		Offset int    `json:"offset,omitempty" jsonschema:"The byte offset to start at; 0 is the beginning."`
	}
	spec, executor, err := native.DefineCall(native.Options{Spec: tool.Spec{
		Name: ReadResultTool, Title: "Read a stored result", Category: "builtin", Source: builtinSource, Version: "1.0.0",
		Description: "Reads the rest of an earlier result that was too long to be shown completely.",
		Declared:    &capability.Effects{ReadOnly: true},
	}}, func(_ context.Context, call tool.Call, in input) (tool.Result, error) {
		page, err := kept.Read(results.Owner{Tenant: call.Tenant, Session: call.Session}, in.Handle, in.Offset, max(maxText-noteRoom, maxText/2))
		if err != nil {
			return tool.Result{}, err
		}
		result, err := tool.TextResult(page.Text, map[string]int{"offset": page.Offset, "next": page.Next, "total": page.Total})
		result.Title = fmt.Sprintf("Bytes %d to %d of %d", page.Offset, page.Next, page.Total)
		if page.Next < page.Total {
			result.Content = append(result.Content, tool.TextContent(fmt.Sprintf("[continues at offset %d of %d]", page.Next, page.Total)))
		}
		return result, err
	})
	if err != nil {
		return err
	}
	return tools.Tools().Register(spec, executor)
}
