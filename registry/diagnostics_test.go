package registry

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// What a tool writes to standard error goes to the log at the level debug, with the tool and the
// ID of the call, and to the caller who asks for it. The stack is only for that caller.
func TestDiagnosticsGoToTheDebugLogAndTheCaller(t *testing.T) {
	stacks := 0
	stack := func() []string { stacks++; return []string{"main"} }
	executor := &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		if in.Call.OnDiagnostics != nil {
			in.Call.OnDiagnostics(tool.Diagnostics{Stderr: "slow\x1b[2J\ndisk", Stack: stack})
		}
		return tool.TextResult("ok", nil)
	}}
	for _, level := range []slog.Level{slog.LevelInfo, slog.LevelDebug} {
		for _, asks := range []bool{false, true} {
			var log bytes.Buffer
			logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level}))
			r := withTool(t, Options{Logger: logger}, echo(), executor)
			call := say("x")
			call.ID = "id"
			text := ""
			if asks {
				call.OnDiagnostics = func(d tool.Diagnostics) { text = d.Text(nil) }
			}
			if _, err := r.Execute(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			if want := map[bool]string{true: "standard error:\n  slow\x1b[2J\n  disk\nstack:\n  main"}[asks]; text != want {
				t.Errorf("%v: the caller got %q", level, text)
			}
			got := ""
			for _, record := range records(t, &log) {
				if record["msg"] == "a tool wrote to standard error" {
					got += fmt.Sprint(record["level"], record["tool"], record["call"], record["stderr"])
				}
			}
			if want := map[slog.Level]string{slog.LevelDebug: "DEBUGechoid" + `slow\x1b[2J` + "\ndisk"}[level]; got != want {
				t.Errorf("%v: logged %q, want %q", level, got, want)
			}
		}
	}
	if stacks != 2 {
		t.Errorf("the stack was read %d times, not once for each caller who asks", stacks)
	}
}
