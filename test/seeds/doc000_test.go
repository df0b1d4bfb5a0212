package seeds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/compat"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger/history"
	"github.com/wasmtool/wasmtool/registry/ledger/state"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// echo is the tool of most rows: it returns its input.
func echo(_ context.Context, arguments in) (string, error) { return arguments.Input, nil }

// deploy is a tool with all metadata of the document.
func deploy() native.Options {
	return native.Options{Spec: tool.Spec{
		Name: "deploy", Description: "Deploys a version.", Category: "ops", Tags: []string{"release"},
		Permissions: capability.Permissions{Env: []string{"TARGET"}},
		Timeout:     5 * time.Second, Dangerous: true, Confirm: "Deploy {input}?",
	}}
}

// withDeploy returns a world with the tools echo and deploy.
func withDeploy(t *testing.T, changes ...func(*standard.Options)) *world {
	t.Helper()
	w := open(t, "[env]\nTARGET = \"test\"\n", append(changes, bare)...)
	for _, o := range []native.Options{named("echo"), deploy()} {
		spec, executor, err := native.Define(o, echo)
		w.add(t, spec, executor, err)
	}
	return w
}

func TestDocument000Structures(t *testing.T) {
	t.Parallel()
	t.Run("3.1 Tool.Config, 3.2 Tool.Info, 3.3 Tool.Metadata", func(t *testing.T) {
		info, err := withDeploy(t).Tools().Get("deploy")
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, info, `{
			"name": "deploy", "description": "Deploys a version.",
			"parameters": {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
			"category": "ops", "permissions": ["env:TARGET"], "timeout": "5s", "dangerous": true,
			"confirm": "Deploy {input}?", "tags": ["release"], "created_at": "*", "disabled": false}`)
	})
	t.Run("3.4 Tool.Context", func(t *testing.T) {
		w := withDeploy(t)
		var seen tool.Invocation
		spec, executor, err := native.Raw(named("context"), func(ctx context.Context, call tool.Invocation) (tool.Result, error) {
			seen = call
			call.Update(tool.Update{Title: "half", Metadata: map[string]json.RawMessage{"done": json.RawMessage("1")}})
			return tool.Result{}, ctx.Err()
		})
		w.add(t, spec, executor, err)
		var updates []tool.Update
		_, err = w.Execute(t.Context(), tool.Call{
			ID: "call", Session: "session", Message: "message", Tool: "context",
			OnUpdate: func(u tool.Update) { updates = append(updates, u) },
		})
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, seen.Call.Ref(), `{"call_id": "call", "session": "session", "message": "message", "tool": "context"}`)
		wantJSON(t, seen.Arguments, `{}`)
		wantJSON(t, updates, `[{"title": "half", "metadata": {"done": 1}}]`)
		if names := seen.Tools().Names; !slices.Equal(names, []string{"context", "deploy", "echo"}) {
			t.Errorf("the tool sees %q", names)
		}
	})
	t.Run("3.5 Tool.Result", func(t *testing.T) {
		w := withDeploy(t)
		spec, executor, err := native.Raw(named("report"), func(context.Context, tool.Invocation) (tool.Result, error) {
			result, err := tool.JSONResult(map[string]int{"n": 1})
			result.Metadata = map[string]any{"pages": 2}
			result.Attachments = []tool.Content{tool.ResourceContent(tool.Resource{URI: "report:1", Text: "all of it"})}
			return result, err
		})
		w.add(t, spec, executor, err)
		for _, call := range []struct{ tool, arguments, want string }{
			{"echo", `{"input": "x"}`, `{"type": "text", "content": "x", "attachments": []}`},
			{"report", `{}`, `{"type": "json", "content": {"n": 1}, "metadata": {"pages": 2},
				"attachments": [{"type": "resource", "resource": {"uri": "report:1", "text": "all of it"}}]}`},
			{"echo", `{}`, `{"type": "error", "content": "*", "attachments": []}`},
		} {
			result, _ := w.Execute(t.Context(), tool.Call{Tool: call.tool, Arguments: json.RawMessage(call.arguments)})
			view, err := result.Typed()
			if err != nil {
				t.Fatal(err)
			}
			wantJSON(t, view, call.want)
		}
	})
	t.Run("3.6 ToolRegistryState and ToolCallRecord", func(t *testing.T) {
		w := withDeploy(t)
		if _, err := w.Execute(t.Context(), tool.Call{ID: "1", Session: "s", Tool: "echo", Arguments: json.RawMessage(`{"input": "x"}`)}); err != nil {
			t.Fatal(err)
		}
		wantJSON(t, w.Tools().List(catalogue.Filter{}), `[{"name": "deploy"}, {"name": "echo"}]`)
		wantJSON(t, w.Calls().States(""), `[{"id": "1", "tool": "echo", "status": "completed"}]`)
		wantJSON(t, w.Tools().Stats().Categories, `{"": 1, "ops": 1}`)
		wantJSON(t, w.Tools().List(catalogue.Filter{Tag: "release"}), `[{"name": "deploy"}]`)
		wantJSON(t, w.Calls().History("", "s", 0), `[{"tool": "echo", "parameters": {"input": "x"}, "parameters_hash": "*", "timestamp": "*", "call_id": "1"}]`)
	})
}

func TestDocument000Interfaces(t *testing.T) {
	t.Parallel()
	t.Run("4.1 Tool.define, createTextTool, createSearchTool", func(t *testing.T) {
		w := withDeploy(t)
		spec, executor, err := native.Text("shout", "Shouts a text.", func(_ context.Context, text string) (string, error) {
			return strings.ToUpper(text), nil
		})
		w.add(t, spec, executor, err)
		spec, executor, err = native.Search("find", "Finds pages.", func(_ context.Context, query string, limit int) ([]native.Hit, error) {
			return []native.Hit{{Title: query + " in " + fmt.Sprint(limit), Location: "a.md", Text: "..."}}, nil
		})
		w.add(t, spec, executor, err)
		wantText(t, w.run(t, "shout", `{"text": "hello"}`).Text(), "HELLO")
		wantJSON(t, w.run(t, "find", `{"query": "go", "limit": 3}`).Details(), `{"details": {"hits": [{"title": "go in 3", "location": "a.md", "text": "..."}]}}`)
	})
	t.Run("4.2 ToolRegistry: register, unregister, update, disable, enable", func(t *testing.T) {
		w := withDeploy(t)
		tools, text := w.Tools(), "Says it again."
		if _, err := tools.Update("echo", catalogue.Patch{Description: &text}); err != nil {
			t.Fatal(err)
		}
		if info, _ := tools.Get("echo"); info.Description != text {
			t.Errorf("the description is %q", info.Description)
		}
		if err := tools.Disable("echo"); err != nil {
			t.Fatal(err)
		}
		w.fail(t, "echo", `{"input": "x"}`, tool.CodeDisabled)
		if err := tools.Enable("echo"); err != nil {
			t.Fatal(err)
		}
		w.run(t, "echo", `{"input": "x"}`)
		for _, want := range []bool{true, false} {
			if existed, err := tools.Unregister("echo"); existed != want || err != nil {
				t.Errorf("got %v, %v, want %v", existed, err, want)
			}
		}
	})
	t.Run("4.2 ToolRegistry: get, getAll, list, search, findByTag", func(t *testing.T) {
		tools := withDeploy(t).Tools()
		if _, err := tools.Get("missing"); tool.CodeOf(err) != tool.CodeNotFound {
			t.Errorf("got %v", err)
		}
		wantJSON(t, tools.List(catalogue.Filter{Disabled: true}), `[{"name": "deploy"}, {"name": "echo"}]`)
		wantJSON(t, tools.List(catalogue.Filter{Category: "ops"}), `[{"name": "deploy"}]`)
		wantJSON(t, tools.List(catalogue.Filter{Tag: "release"}), `[{"name": "deploy"}]`)
		wantJSON(t, tools.Search("version", 0), `[{"name": "deploy"}]`)
	})
	t.Run("4.2 ToolRegistry: execute, getState, updateState, clearStates", func(t *testing.T) {
		w := withDeploy(t)
		spec, executor, err := native.DefineCall(named("progress"), func(_ context.Context, call tool.Call, _ in) (string, error) {
			return "", w.Calls().UpdateState("", call.ID, tool.Update{Title: "at it"})
		})
		w.add(t, spec, executor, err)
		if _, err := w.Execute(t.Context(), tool.Call{ID: "1", Tool: "progress", Arguments: json.RawMessage(`{"input": ""}`)}); err != nil {
			t.Fatal(err)
		}
		got, known := w.Calls().State("", "1")
		if wantJSON(t, got, `{"id": "1", "status": "completed", "title": "at it"}`); !known {
			t.Error("the call has no state")
		}
		w.Calls().ClearStates("")
		if _, known := w.Calls().State("", "1"); known {
			t.Error("the state is still there")
		}
	})
	t.Run("4.2 ToolRegistry: detectDoomLoop, getCallHistory, getStats", func(t *testing.T) {
		w := withDeploy(t)
		for range 3 {
			if _, found := w.Calls().DetectLoop("", ""); found {
				t.Error("found a loop too early")
			}
			w.run(t, "echo", `{"input": "x"}`)
		}
		doom, found := w.Calls().DetectLoop("", "")
		if wantJSON(t, doom, `{"tools": ["echo"], "count": 3}`); !found {
			t.Error("found no loop")
		}
		if n := len(w.Calls().History("", "", 2)); n != 2 {
			t.Errorf("the history has %d calls", n)
		}
		if err := w.Tools().Disable("deploy"); err != nil {
			t.Fatal(err)
		}
		wantJSON(t, w.Tools().Stats(), `{"total": 2, "disabled": 1, "categories": {"": 1, "ops": 1}}`)
	})
	t.Run("4.3 ToolDispatcher", func(t *testing.T) {
		w := withDeploy(t)
		wantJSON(t, compat.Dispatch(t.Context(), w.Registry, "echo", json.RawMessage(`{"input": "x"}`)), `{"status": "success", "tool": "echo", "output": "x"}`)
		wantJSON(t, compat.Dispatch(t.Context(), w.Registry, "ecko", nil), `{"status": "error", "tool": "ecko", "error": "*"}`)
		result, err := compat.ExecuteWithContext(t.Context(), w.Registry, "echo", json.RawMessage(`{"input": "x"}`), compat.ToolContext{CallID: "1", SessionID: "s", MessageID: "m"})
		if err != nil || result.Text() != "x" || result.Call.ID != "1" || result.Call.Session != "s" || result.Call.Message != "m" {
			t.Errorf("got %+v, %v", result, err)
		}
	})
}

// rules000 has a row for each business rule of section 5.
var rules000 = map[string]func(t *testing.T, w *world){
	"BR-01 names are unique": func(t *testing.T, w *world) {
		spec, executor, err := native.Define(named("echo"), echo)
		if err != nil {
			t.Fatal(err)
		}
		wantCode(t, w.Tools().Register(spec, executor), tool.CodeInvalidManifest)
	},
	"BR-02 parameters is a valid schema": func(t *testing.T, w *world) {
		o := named("other")
		o.Spec.Parameters = json.RawMessage(`{"type": "object", "properties": {"input": {"type": "strin"}}}`)
		_, _, err := native.Define(o, echo)
		if e := wantCode(t, err, tool.CodeInvalidManifest); e.Details.Field != "parameters" {
			t.Errorf("the field is %q", e.Details.Field)
		}
	},
	"BR-03 execute is a function": func(t *testing.T, w *world) {
		_, _, err := native.Define[in, string](named("other"), nil)
		wantCode(t, err, tool.CodeInvalidManifest)
	},
	"BR-04 registering sets createdAt": func(t *testing.T, w *world) {
		info, err := w.Tools().Get("echo")
		if err != nil || info.CreatedAt.IsZero() {
			t.Errorf("got %v, %v", info.CreatedAt, err)
		}
	},
	"BR-05 a disabled tool cannot be called": func(t *testing.T, w *world) {
		if err := w.Tools().Disable("echo"); err != nil {
			t.Fatal(err)
		}
		w.fail(t, "echo", `{"input": "x"}`, tool.CodeDisabled)
	},
	"BR-06 the input is validated first": func(t *testing.T, w *world) {
		w.fail(t, "echo", `{"input": {}}`, tool.CodeInvalidArgument)
	},
	"BR-07 a timeout ends the call": func(t *testing.T, w *world) {
		o := named("slow")
		o.Spec.Timeout = time.Millisecond
		spec, executor, err := native.Define(o, func(ctx context.Context, _ in) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		w.add(t, spec, executor, err)
		w.fail(t, "slow", `{"input": "x"}`, tool.CodeTimeout)
	},
	"BR-08 a dangerous call needs an approval": func(t *testing.T, w *world) {
		w.fail(t, "deploy", `{"input": "v1"}`, tool.CodePermissionDenied)
		w.answer.Yes = true
		w.run(t, "deploy", `{"input": "v1"}`)
		asked := w.questions()
		if len(asked) != 2 || asked[0].Confirm != `Deploy "v1"?` || asked[0].Reason != tool.AskDangerous {
			t.Errorf("asked %d times, at first %q because %s", len(asked), asked[0].Confirm, asked[0].Reason)
		}
	},
	"BR-09 and BR-10 the outcome is recorded, also of an exception": func(t *testing.T, w *world) {
		spec, executor, err := native.Define(named("broken"), func(_ context.Context, arguments in) (string, error) {
			if arguments.Input == "panic" {
				panic("it broke")
			}
			return "", errors.New("it failed")
		})
		w.add(t, spec, executor, err)
		w.run(t, "echo", `{"input": "x"}`)
		w.fail(t, "broken", `{"input": "x"}`, tool.CodeExecution)
		w.fail(t, "broken", `{"input": "panic"}`, tool.CodeInternal)
		wantJSON(t, w.Calls().States(""), `[{"tool": "broken", "status": "error"}, {"tool": "broken", "status": "error"}, {"tool": "echo", "status": "completed"}]`)
	},
	"BR-11 each call has its own callId": func(t *testing.T, w *world) {
		if first, second := w.run(t, "echo", `{"input": "x"}`).Call.ID, w.run(t, "echo", `{"input": "x"}`).Call.ID; first == "" || first == second {
			t.Errorf("the IDs are %q and %q", first, second)
		}
	},
	"BR-13 the history has the last 100 calls": func(t *testing.T, w *world) {
		for n := range history.DefaultPerSession + 1 {
			w.run(t, "echo", fmt.Sprintf(`{"input": "%d"}`, n))
		}
		kept := w.Calls().History("", "", 0)
		if len(kept) != 100 || string(kept[0].Parameters) != `{"input":"100"}` {
			t.Errorf("kept %d calls, at last %s", len(kept), kept[0].Parameters)
		}
	},
	"BR-14 a repeated pattern is detected": func(t *testing.T, w *world) {
		for range 3 {
			w.run(t, "echo", `{"input": "x"}`)
			w.run(t, "echo", `{"input": "y"}`)
		}
		doom, _ := w.Calls().DetectLoop("", "")
		wantJSON(t, doom, `{"tools": ["echo", "echo"], "count": 3}`)
	},
}

func TestDocument000Rules(t *testing.T) {
	t.Parallel()
	for name, check := range rules000 {
		t.Run("5 "+name, func(t *testing.T) { check(t, withDeploy(t)) })
	}
	t.Run("8.1 pending, running, completed and error, and BR-12 updates by metadata()", func(t *testing.T) {
		var w *world
		seen := make(map[string]string) // the state of call 1, by the time
		look := func(when string) {
			c, _ := w.Calls().State("", "1")
			seen[when] = strings.TrimSpace(string(c.Status) + " " + c.Title)
		}
		w = withDeploy(t, func(o *standard.Options) {
			o.Registry.Variables = func(context.Context, tool.Call, string) (string, bool) {
				look("prepared")
				return "x", true
			}
			o.Registry.Approvals.Approver = registry.ApproverFunc(func(context.Context, registry.Question) (registry.Answer, error) {
				look("asked")
				return registry.Answer{Yes: true}, nil
			})
		})
		o := deploy()
		o.Spec.Name = "looks"
		spec, executor, err := native.DefineCall(o, func(_ context.Context, call tool.Call, _ in) (string, error) {
			look("run")
			call.OnUpdate(tool.Update{Title: "half"})
			look("updated")
			return "", nil
		})
		w.add(t, spec, executor, err)
		for id, arguments := range map[string]string{"1": `{"input": "${x}"}`, "2": `{}`} {
			_, err := w.Execute(t.Context(), tool.Call{ID: id, Tool: "looks", Arguments: json.RawMessage(arguments)})
			if (err == nil) != (id == "1") {
				t.Errorf("call %s: %v", id, err)
			}
		}
		look("ended")
		wantJSON(t, seen, `{"prepared": "pending", "asked": "awaiting_confirmation", "run": "running", "updated": "running half", "ended": "completed half"}`)
		if c, _ := w.Calls().State("", "2"); c.Status != state.Error {
			t.Errorf("the failed call is %s", c.Status)
		}
	})
}

func TestDocument000Errors(t *testing.T) {
	t.Parallel()
	t.Run("6.1 error types", func(t *testing.T) {
		w := withDeploy(t)
		spec, executor, err := native.Define(named("broken"), func(context.Context, in) (string, error) { return "", errors.New("no disk") })
		w.add(t, spec, executor, err)
		if err := w.Tools().Disable("echo"); err != nil {
			t.Fatal(err)
		}
		for _, row := range []struct{ tool, arguments, name string }{
			{"missing", `{}`, "ToolNotFoundError"},
			{"echo", `{"input": "x"}`, "ToolDisabledError"},
			{"broken", `{"input": "x"}`, "ToolExecutionError"},
			{"broken", `{}`, "InvalidArgumentError"},
			{"deploy", `{"input": "x"}`, "PermissionDeniedError"},
		} {
			result, err := w.Execute(t.Context(), tool.Call{Tool: row.tool, Arguments: json.RawMessage(row.arguments)})
			if got := tool.CodeOf(err).Name(); got != row.name || !result.IsError {
				t.Errorf("%s: got %s (%v), want %s", row.tool, got, err, row.name)
			}
		}
	})
	t.Run("6.2 ToolErrorResponse", func(t *testing.T) {
		w := withDeploy(t)
		spec, executor, err := native.Define(named("broken"), func(context.Context, in) (string, error) {
			return "", tool.Errorf(tool.CodeExecution, "the report is incomplete").WithCause(tool.Errorf(tool.CodeNetwork, "the server is gone"))
		})
		w.add(t, spec, executor, err)
		e := w.fail(t, "broken", `{"input": "x"}`, tool.CodeExecution)
		wantJSON(t, e.View(json.RawMessage(`{"input": "x"}`)), `{"name": "ToolExecutionError", "message": "the report is incomplete",
			"details": {"toolName": "broken", "input": {"input": "x"}, "cause": "the server is gone"}, "recoverable": true}`)
	})
	t.Run("7.1 name is not empty", func(t *testing.T) {
		_, _, err := native.Define(native.Options{}, echo)
		if e := wantCode(t, err, tool.CodeInvalidManifest); e.Details.Field != "name" {
			t.Errorf("the field is %q", e.Details.Field)
		}
	})
	t.Run("7.2 case of names", func(t *testing.T) {
		wantText(t, withDeploy(t).run(t, " Echo ", `{"input": "x"}`).Text(), "x")
	})
	t.Run("7.3 validation: empty input, extra fields, wrong type", func(t *testing.T) {
		type limits struct {
			Limit int `json:"limit,omitempty"`
		}
		o := named("limited")
		o.Spec.Parameters = json.RawMessage(`{"type": "object", "properties": {"limit": {"type": "integer", "default": 20}}}`)
		for _, strict := range []bool{false, true} {
			w := open(t, "", bare, func(o *standard.Options) { o.Registry.Strict = strict })
			spec, executor, err := native.Define(o, func(_ context.Context, arguments limits) (int, error) { return arguments.Limit, nil })
			w.add(t, spec, executor, err)
			wantText(t, w.run(t, "limited", ``).Text(), "20")
			_, warnings, err := w.Validate("limited", json.RawMessage(`{"limt": 3}`))
			if strict {
				wantText(t, wantCode(t, err, tool.CodeInvalidArgument).Message, `did you mean "limit"`)
			} else if err != nil || len(warnings) != 1 {
				t.Errorf("got %q, %v", warnings, err)
			}
			e := w.fail(t, "limited", `{"limit": "many"}`, tool.CodeInvalidArgument)
			wantJSON(t, e.Details.Violations, `[{"pointer": "/limit", "kind": "type", "message": "*"}]`)
		}
	})
}
