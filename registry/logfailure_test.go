package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// records returns the log records in a buffer of JSON lines.
func records(t *testing.T, log *bytes.Buffer) []map[string]any {
	t.Helper()
	var found []map[string]any
	for line := range strings.Lines(log.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		found = append(found, record)
	}
	return found
}

// A failed call is logged once, with its code and ID, at the level of its code. Neither its
// arguments nor the tool's message are logged. A call that succeeds is not logged.
func TestFailedCallIsLoggedOnce(t *testing.T) {
	const confidential = "hunter2"
	levels := map[tool.Code]string{
		tool.CodeInternal: "ERROR", tool.CodeInvalidArgument: "INFO", tool.CodeNotFound: "INFO", tool.CodeUsage: "INFO",
		tool.CodeDisabled: "INFO", tool.CodePermissionDenied: "INFO", tool.CodeApprovalRequired: "INFO", tool.CodeCancelled: "INFO",
	}
	for _, code := range append(tool.Codes(), "") {
		t.Run(string(code), func(t *testing.T) {
			var log bytes.Buffer
			var failed error
			if code != "" {
				failed = (&tool.Error{Code: code, Message: "no " + confidential, Details: tool.Details{Stderr: confidential}}).WithCause(errors.New("the cause"))
			}
			logger := slog.New(slog.NewJSONHandler(&log, nil))
			r := withTool(t, Options{Logger: logger}, echo(), &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) { return tool.Result{}, failed }})
			call := say(confidential)
			call.ID, call.Tenant, call.Retries = "id", "acme", 0
			_, err := r.Execute(t.Context(), call)
			if tool.CodeOf(err) != code {
				t.Fatal(err)
			}
			found := records(t, &log)
			if code == "" {
				if len(found) > 0 {
					t.Errorf("a call without an error is logged: %v", found)
				}
				return
			}
			level := levels[code]
			if level == "" {
				level = "WARN"
			}
			if len(found) != 1 || strings.Contains(log.String(), confidential) {
				t.Fatalf("logged %s", &log)
			}
			got := fmt.Sprint(found[0]["level"], found[0]["msg"], found[0]["tool"], found[0]["call"], found[0]["code"], found[0]["tenant"])
			if want := fmt.Sprint(level, "[tools] echo failed: "+string(code), "echo", "id", code, "acme"); got != want {
				t.Errorf("logged %s, want %s", got, want)
			}
			if _, hasCause := found[0]["cause"]; hasCause != (code == tool.CodeInternal) {
				t.Errorf("logged %v", found[0])
			}
		})
	}
}

// The failure of a pending call is logged when its result arrives. Calls that never reach a tool
// are logged, too.
func TestOtherFailuresAreLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	var complete func(tool.Result, *tool.Error)
	r := withTool(t, Options{Logger: logger}, echo(), &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		complete = in.Complete
		return tool.Result{Pending: true, Content: []tool.Content{tool.TextContent("later")}}, nil
	}})
	if _, err := r.Execute(t.Context(), say("x")); err != nil || log.Len() > 0 {
		t.Fatalf("%v, logged %s", err, &log)
	}
	for range 2 {
		complete(tool.Result{}, &tool.Error{Code: tool.CodeServer, Message: "down"})
	}
	for _, call := range []tool.Call{{Tool: "nothing"}, {Tool: "echo", Arguments: json.RawMessage(`{}`)}} {
		if _, err := r.Execute(t.Context(), call); err == nil {
			t.Error("the call succeeds")
		}
	}
	var got []string
	for _, record := range records(t, &log) {
		got = append(got, fmt.Sprint(record["level"], " ", record["msg"]))
	}
	if want := "WARN [tools] echo failed: server, INFO [tools] nothing failed: not_found, INFO [tools] echo failed: invalid_argument"; strings.Join(got, ", ") != want {
		t.Errorf("logged %q", got)
	}
}
