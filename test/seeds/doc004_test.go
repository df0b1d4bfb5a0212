package seeds

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"slices"
	"testing"

	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/delegated"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// picture is a PNG image of 800 by 600 pixels.
func picture(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 800, 600))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestDocument004Tools(t *testing.T) {
	t.Parallel()
	t.Run("2.1 AgentTool and 7.2 plugin tool", func(t *testing.T) {
		w := open(t, "", bare)
		o := native.Options{Spec: tool.Spec{
			Name: "my_tool", Title: "My tool", Description: "Custom tool",
			Parameters: json.RawMessage(`{"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}`),
		}}
		spec, executor, err := native.Raw(o, func(ctx context.Context, call tool.Invocation) (tool.Result, error) {
			call.Update(tool.Update{Title: "working on " + call.Call.ID, Content: []tool.Content{tool.TextContent("half of it")}})
			if err := ctx.Err(); err != nil {
				return tool.Result{}, err
			}
			return tool.JSONResult(map[string]string{"result": "ok"})
		})
		w.add(t, spec, executor, err)
		var updates []tool.Update
		result, err := w.Execute(t.Context(), tool.Call{
			ID: "toolCallId", Tool: "my_tool", Arguments: json.RawMessage(`{"input": "x"}`),
			OnUpdate: func(u tool.Update) { updates = append(updates, u) },
		})
		if err != nil {
			t.Fatal(err)
		}
		wantJSON(t, updates, `[{"title": "working on toolCallId", "content": [{"type": "text", "text": "half of it"}]}]`)
		wantJSON(t, result.Details(), `{"content": [{"type": "text", "text": "{\n  \"result\": \"ok\"\n}"}], "details": {"result": "ok"}}`)
	})
	t.Run("2.3 tools", func(t *testing.T) {
		w := open(t, "", allHostTools)
		w.answer.Yes = true
		for _, name := range []string{"read", "write", "edit", "exec", "process", "sessions_list", "sessions_send", "web_search", "web_fetch", "message", "browser", "canvas", "cron"} {
			if !w.Tools().Has(name) {
				t.Errorf("there is no tool %s", name)
			}
		}
		wantText(t, w.run(t, "message", `{"to": "ann", "text": "hello"}`).Text(), "message is done")
	})
	t.Run("3.1 read, write and exec", func(t *testing.T) {
		h := host(t, "grants.allow = [\"write:workspace\"]\n", map[string]string{"a.txt": "one\ntwo\n", "logo.png": string(picture(t))})
		wantJSON(t, h.call(t, "read", `{"file_path": "a.txt"}`), `{"view": {"content": [{"type": "text", "text": "     1\tone\n     2\ttwo\n"}], "details": {"path": "a.txt", "lineCount": 2}}}`)
		wantJSON(t, h.call(t, "read", `{"file_path": "logo.png"}`), `{"view": {
			"content": [{"type": "text", "text": "*"}, {"type": "image", "data": "*", "mimeType": "image/png"}], "details": {"path": "logo.png", "width": 800, "height": 600}}}`)
		wantJSON(t, h.ask(t, `{"toolId": "write", "arguments": {"file_path": "b.txt", "content": "three\n"}, "approve": true}`), `{"success": true, "view": {"content": [{"type": "text", "text": "*"}], "details": {"path": "b.txt", "size": 6}}}`)
		wantJSON(t, h.call(t, "exec", `{"command": "cat b.txt"}`), `{"success": true, "result": {"output": "three\n"}}`)
	})
	t.Run("3.1 toToolDefinitions", func(t *testing.T) {
		w := open(t, "", bare)
		spec, executor, err := native.Define(named("untitled"), echo)
		w.add(t, spec, executor, err)
		o := named("titled")
		o.Spec.Title = "A title"
		spec, executor, err = native.Define(o, echo)
		w.add(t, spec, executor, err)
		wantJSON(t, catalogue.Definitions(w.Tools().List(catalogue.Filter{})), `[
			{"name": "titled", "label": "A title", "description": "*", "parameters": {"type": "object"}},
			{"name": "untitled", "label": "untitled", "description": "*", "parameters": {"type": "object"}}]`)
	})
}

func TestDocument004Policy(t *testing.T) {
	t.Parallel()
	w := open(t, "", allHostTools)
	// visible returns the tools that a policy shows, of those that the document names.
	visible := func(t *testing.T, file string) []string {
		t.Helper()
		rules, err := standard.Rules(standard.Options{Config: decode(t, t.TempDir(), file)}, w.Registry)
		if err != nil {
			t.Fatal(err)
		}
		w.SetRules(rules)
		var names []string
		for _, name := range []string{
			"read", "write", "edit", "apply_patch", "exec", "process", "web_search", "web_fetch", "sessions_list", "sessions_send", "sessions_spawn", "message", "session_status",
		} {
			info, err := w.Tools().Get(name)
			if err != nil {
				t.Fatal(err)
			}
			if !info.Disabled {
				names = append(names, name)
			}
		}
		return names
	}
	for _, row := range []struct {
		name, file string
		want       []string
	}{
		{"4.1 group:fs", `policy.allow = ["group:fs"]`, []string{"read", "write", "edit", "apply_patch"}},
		{"4.1 group:runtime", `policy.allow = ["group:runtime"]`, []string{"exec", "process"}},
		{"4.1 group:web", `policy.allow = ["group:web"]`, []string{"web_search", "web_fetch"}},
		{"4.1 group:sessions", `policy.allow = ["group:sessions"]`, []string{"sessions_list", "sessions_send", "sessions_spawn"}},
		{"4.1 group:messaging", `policy.allow = ["group:messaging"]`, []string{"message"}},
		{
			"4.2 the example", "[policy]\nprofile = \"coding\"\nallow = [\"group:fs\", \"group:runtime\"]\ndeny = [\"exec\"]",
			[]string{"read", "write", "edit", "apply_patch", "process"},
		},
		{"4.2 minimal", `policy.profile = "minimal"`, []string{"session_status"}},
		{
			"4.2 coding", `policy.profile = "coding"`,
			[]string{"read", "write", "edit", "apply_patch", "exec", "process", "sessions_list", "sessions_send", "sessions_spawn"},
		},
		{"4.2 messaging", `policy.profile = "messaging"`, []string{"sessions_list", "message", "session_status"}},
		{
			"4.2 full", `policy.profile = "full"`,
			[]string{"read", "write", "edit", "apply_patch", "exec", "process", "web_search", "web_fetch", "sessions_list", "sessions_send", "sessions_spawn", "message", "session_status"},
		},
		{"4.3 deny before allow", "[policy]\nallow = [\"read\", \"write\"]\ndeny = [\"Write\"]", []string{"read"}},
		{"4.3 names are normalised", `policy.allow = [" APPLY-PATCH "]`, []string{"apply_patch"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := visible(t, row.file); !slices.Equal(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
	t.Run("4.2 the example as it is written gets an answer", func(t *testing.T) {
		_, err := config.Decode(config.File{}, []byte("[tools]\nprofile = \"coding\"\n"), nil)
		wantText(t, fmt.Sprint(err), "tools.profile", "the lists of tools are in [policy]")
	})
}

func TestDocument004Execution(t *testing.T) {
	t.Parallel()
	t.Run("5.1 permission, validation, execution, history", func(t *testing.T) {
		w := open(t, `policy.deny = ["hidden"]`, bare)
		ran := 0
		for _, name := range []string{"shown", "hidden"} {
			spec, executor, err := native.Define(named(name), func(_ context.Context, arguments in) (string, error) {
				ran++
				return arguments.Input, nil
			})
			w.add(t, spec, executor, err)
		}
		w.fail(t, "hidden", `{"input": 1}`, tool.CodeDisabled)
		w.fail(t, "shown", `{}`, tool.CodeInvalidArgument)
		w.run(t, "shown", `{"input": "x"}`)
		wantJSON(t, w.Calls().History("", "", 0), `[{"tool": "shown"}, {"tool": "shown", "code": "invalid_argument"}, {"tool": "hidden", "code": "disabled"}]`)
		if ran != 1 {
			t.Errorf("ran %d times", ran)
		}
	})
	t.Run("5.2 error handling", func(t *testing.T) {
		var log bytes.Buffer
		w := open(t, "", bare, func(o *standard.Options) { o.Registry.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		spec, executor, err := native.Define(named("broken"), func(context.Context, in) (string, error) { return "", errors.New("no disk") })
		w.add(t, spec, executor, err)
		e := w.fail(t, "broken", `{"input": "x"}`, tool.CodeExecution)
		wantJSON(t, e.Failure(), `{"status": "error", "tool": "broken", "error": "the tool says: no disk"}`)
		wantText(t, log.String(), "[tools] broken failed: execution")
	})
	t.Run("5.3 abort", func(t *testing.T) {
		w := open(t, "", bare)
		ctx, abort := context.WithCancel(t.Context())
		processed := 0
		spec, executor, err := native.Define(named("loops"), func(ctx context.Context, _ in) (string, error) {
			for range 3 {
				if ctx.Err() != nil {
					break
				}
				processed++
				abort()
			}
			return "", ctx.Err()
		})
		w.add(t, spec, executor, err)
		_, err = w.Execute(ctx, tool.Call{Tool: "loops", Arguments: json.RawMessage(`{"input": "x"}`)})
		if wantCode(t, err, tool.CodeCancelled); processed != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("processed %d items, %v", processed, err)
		}
		_, err = w.Execute(ctx, tool.Call{Tool: "loops", Arguments: json.RawMessage(`{"input": "x"}`)})
		if wantCode(t, err, tool.CodeCancelled); processed != 1 {
			t.Error("the tool ran after the abort")
		}
	})
}

func TestDocument004Results(t *testing.T) {
	t.Parallel()
	image := picture(t)
	for _, row := range []struct {
		name   string
		result func() (tool.Result, error)
		want   string
	}{
		{
			"6.1 text", func() (tool.Result, error) {
				return tool.TextResult("File written successfully", map[string]any{"path": "path/to/file", "size": 1234})
			},
			`{"content": [{"type": "text", "text": "File written successfully"}], "details": {"path": "path/to/file", "size": 1234}}`,
		},
		{
			"6.2 image", func() (tool.Result, error) {
				return tool.ImageResult("MEDIA:path/to/image.png", image, "image/png", map[string]any{"path": "path/to/image.png"})
			},
			`{"content": [{"type": "text", "text": "MEDIA:path/to/image.png"}, {"type": "image", "data": "` + base64.StdEncoding.EncodeToString(image) + `", "mimeType": "image/png"}],
				"details": {"path": "path/to/image.png", "width": 800, "height": 600}}`,
		},
		{
			"6.3 jsonResult", func() (tool.Result, error) { return tool.JSONResult(map[string]string{"status": "ok"}) },
			`{"content": [{"type": "text", "text": "{\n  \"status\": \"ok\"\n}"}], "details": {"status": "ok"}}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := open(t, "", bare)
			spec, executor, err := native.Define(named("result"), func(context.Context, in) (tool.Result, error) { return row.result() })
			w.add(t, spec, executor, err)
			wantJSON(t, w.run(t, "result", `{"input": "x"}`).Details(), row.want)
		})
	}
}

func TestDocument004ClientTools(t *testing.T) {
	t.Parallel()
	w := open(t, "", bare)
	calls, done := make(chan delegated.Request, 1), make(chan delegated.Completion, 1)
	inbox := delegated.NewInbox(delegated.Options{
		OnCall: func(_ context.Context, r delegated.Request) { calls <- r },
		OnDone: func(c delegated.Completion) { done <- c },
	})
	defer inbox.Close()
	specs, err := delegated.ClientTools([]byte(`[{"type": "function", "function": {"name": "take_photo", "description": "Takes a photo with the phone.",
		"parameters": {"type": "object", "properties": {"camera": {"type": "string"}}, "required": ["camera"]}}}]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range specs {
		spec, executor, err := inbox.Define(spec, delegated.Later)
		w.add(t, spec, executor, err)
	}
	w.answer.Yes = true
	result := w.run(t, "take_photo", `{"camera": "front"}`)
	wantJSON(t, result.Details(), `{"details": {"status": "pending", "tool": "take_photo", "message": "*"}}`)
	if c, _ := w.Calls().State("", result.Call.ID); c.Status != "pending" {
		t.Errorf("the call is %s", c.Status)
	}
	// The client gets the call, and answers later.
	call := <-calls
	wantJSON(t, call, `{"tool": "take_photo", "arguments": {"camera": "front"}}`)
	answer, err := tool.ImageResult("a photo", picture(t), "image/png", nil)
	if err == nil {
		err = inbox.Complete(call.Key(), answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c := <-done; c.Err != nil || len(c.Result.Content) != 2 {
		t.Errorf("got %+v", c)
	}
	if c, _ := w.Calls().State("", result.Call.ID); c.Status != "completed" {
		t.Errorf("the call is %s", c.Status)
	}
}
