package llm_test

import (
	"encoding/json"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// MCP definitions have the tools' own schemas, and hints derived from the tools' permissions.
func TestMCPDefinitions(t *testing.T) {
	t.Parallel()
	spec := func(name, result string, sandboxed bool, mode capability.Mode) catalogue.Info {
		s := tool.Spec{
			Name: name, Title: "T", Description: "D.", Sandboxed: sandboxed, Parameters: json.RawMessage(`{"type":"object","$defs":{"a":{}}}`),
			Permissions: capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: mode}}},
		}
		if result != "" {
			s.Result = json.RawMessage(result)
		}
		return catalogue.Info{Spec: s}
	}
	details := spec("details", `{"type":"object"}`, true, capability.ModeRead)
	details.Details = true
	tools, err := llm.New(llm.MCP, []catalogue.Info{
		spec("reads", `{"type":"object"}`, true, capability.ModeRead),
		spec("writes", `{"type":"array"}`, true, capability.ModeWrite),
		spec("unknown", "", false, capability.ModeRead),
		details,
	}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"name":"reads","title":"T","description":"D.","inputSchema":{"type":"object","$defs":{"a":{}}},"outputSchema":{"type":"object"},` +
		`"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}},` +
		`{"name":"writes","title":"T","description":"D.","inputSchema":{"type":"object","$defs":{"a":{}}},"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":false}},` +
		`{"name":"unknown","title":"T","description":"D.","inputSchema":{"type":"object","$defs":{"a":{}}},"annotations":{"readOnlyHint":false,"destructiveHint":true,"openWorldHint":true}},` +
		`{"name":"details","title":"T","description":"D.","inputSchema":{"type":"object","$defs":{"a":{}}},"annotations":{"readOnlyHint":true,"destructiveHint":false,"openWorldHint":false}}]`
	if got := string(tools.Definitions()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if losses := tools.Losses(); len(losses) != 1 || losses[0].Tool != "writes" || losses[0].Effect != llm.Untold {
		t.Errorf("losses %v", losses)
	}
}
