package seeds

import (
	"context"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The parameters and the result of the document's ReadTool.
type (
	readParams struct {
		FilePath string `json:"filePath"`
		Offset   *int   `json:"offset,omitempty"`
		Limit    *int   `json:"limit,omitempty"`
	}
	readResult struct {
		Content   string `json:"content"`
		LineCount int    `json:"lineCount"`
	}
)

func TestDocument003(t *testing.T) {
	t.Parallel()
	define := func(t *testing.T, name string) (tool.Spec, tool.Executor, error) {
		t.Helper()
		return native.Define(named(name), func(_ context.Context, params readParams) (readResult, error) {
			return readResult{Content: "the content of " + params.FilePath, LineCount: 1}, nil
		})
	}
	t.Run("tool factory: parameters and result have schemas", func(t *testing.T) {
		w := open(t, "", bare)
		spec, executor, err := define(t, "read")
		w.add(t, spec, executor, err)
		wantJSON(t, w.run(t, "read", `{"filePath": "a.txt", "limit": 1}`).Details(), `{"details": {"content": "the content of a.txt", "lineCount": 1}}`)
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[{
			"parameters": {"type": "object", "required": ["filePath"], "properties": {"filePath": {"type": "string"}, "offset": "*", "limit": "*"}},
			"result": {"type": "object", "required": ["content", "lineCount"], "properties": {"content": {"type": "string"}, "lineCount": {"type": "integer"}}}}]`)
		w.fail(t, "read", `{"filePath": 1, "offset": "first"}`, tool.CodeInvalidArgument)
	})
	t.Run("tool factory: the result is validated", func(t *testing.T) {
		w := open(t, "", bare)
		o := named("read")
		o.Spec.Result = []byte(`{"type": "object", "required": ["content", "lineCount"]}`)
		spec, executor, err := native.Define(o, func(context.Context, readParams) (map[string]string, error) {
			return map[string]string{"content": "no count"}, nil
		})
		w.add(t, spec, executor, err)
		wantText(t, w.fail(t, "read", `{"filePath": "a.txt"}`, tool.CodeInvalidOutput).Message, "lineCount")
	})
	t.Run("ToolRegistry: register, get, list, resolve, has", func(t *testing.T) {
		w := open(t, "", bare)
		for _, name := range []string{"read", "write", "bash"} {
			spec, executor, err := define(t, name)
			w.add(t, spec, executor, err)
		}
		if !w.Tools().Has("bash") || w.Tools().Has("task") {
			t.Error("has is wrong")
		}
		if _, err := w.Tools().Get("task"); tool.CodeOf(err) != tool.CodeNotFound {
			t.Errorf("got %v", err)
		}
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[{"name": "bash"}, {"name": "read"}, {"name": "write"}]`)
		resolved, err := w.Tools().Resolve("write", "read")
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, resolved, `[{"name": "write"}, {"name": "read"}]`)
		_, err = w.Tools().Resolve("write", "task", "skill")
		wantText(t, wantCode(t, err, tool.CodeNotFound).Message, "task", "skill")
	})
	t.Run("built-in tools", func(t *testing.T) {
		w := open(t, "", allHostTools)
		for _, name := range []string{"bash", "read", "write", "edit", "glob", "grep", "task", "webfetch", "websearch", "github-search", "spec", "todo", "question"} {
			if !w.Tools().Has(name) {
				t.Errorf("there is no tool %s", name)
			}
		}
	})
	t.Run("the built-in tool read", func(t *testing.T) {
		h := host(t, "", map[string]string{"a.txt": "one\ntwo\nthree\n"})
		wantJSON(t, h.call(t, "read", `{"filePath": "a.txt", "offset": 2, "limit": 1}`), `{"success": true, "view": {
			"content": [{"type": "text", "text": "     2\ttwo\n\n(showing lines 2-2 of 3; continue with offset=3)\n"}], "details": {"path": "a.txt", "lineCount": 3}}}`)
	})
}

// allHostTools adds the tools that the program carries out.
func allHostTools(o *standard.Options) {
	o.Host.Backends = make(map[string]hosttools.Backend)
	for _, name := range hosttools.Names() {
		o.Host.Backends[name] = func(_ context.Context, call tool.Invocation) (tool.Result, error) {
			return tool.TextResult(call.Call.Tool+" is done", nil)
		}
	}
	o.Host.Jobs = &process.Options{}
	o.Host.Asker = declines{}
}

// declines is a person who does not answer the questions of tools.
type declines struct{}

func (declines) Inquire(context.Context, tool.Inquiry) (tool.Reply, error) {
	return tool.Reply{Status: tool.ReplyDeclined}, nil
}
