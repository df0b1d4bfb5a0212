package standard

import (
	"context"
	"fmt"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger/results"
	"github.com/wasmtool/wasmtool/registry/tool"
)

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
		Name: ReadResultTool, Title: "Read a stored result", Category: "builtin", Source: BuiltinSource, Version: "1.0.0",
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
