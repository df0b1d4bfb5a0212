package mcpserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A job that a call started ends with the session of the call, and not with another session.
func TestJobsEndWithTheirSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options mcpserver.HTTPOptions
		closes  bool
	}{
		"closed": {mcpserver.HTTPOptions{}, true},
		"idle":   {mcpserver.HTTPOptions{SessionIdle: time.Second}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			ended := make(chan string, 2)
			w.add(t, tool.Spec{Name: "job"}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
				<-ctx.Done()
				ended <- in.Call.Session
				return tool.Result{}, ctx.Err()
			})
			w.add(t, tool.Spec{Name: "begin"}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
				<-in.Start(context.WithoutCancel(ctx), tool.Call{Tool: "job"}).Decided()
				return tool.Result{Content: []tool.Content{tool.TextContent(in.Call.Session)}}, nil
			})
			other := w.listen(t, mcpserver.HTTPOptions{}).connect(t, "2025-11-25", nil, "")
			callText(t, other, "begin", nil)
			first := w.listen(t, c.options).connect(t, "2025-11-25", nil, "")
			name := callText(t, first, "begin", nil)
			if c.closes {
				if err := first.Close(); err != nil {
					t.Error(err)
				}
			}
			if got := <-ended; got != name {
				t.Errorf("the job of %s ended, not that of %s", got, name)
			}
			select {
			case got := <-ended:
				t.Errorf("the job of %s ended as well", got)
			default:
			}
		})
	}
}

// Tools see a name of the session instead of its ID. Every call of the session has the same name.
// The name does not let a tool act as the client.
func TestSessionIDIsHiddenFromTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "session_name"}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		return tool.Result{Content: []tool.Content{tool.TextContent(in.Call.Session)}}, nil
	})
	s := w.listen(t, mcpserver.HTTPOptions{})
	first, second := s.connect(t, "2025-11-25", nil, ""), s.connect(t, "2025-11-25", nil, "")
	name := callText(t, first, "session_name", nil)
	if name == "" || strings.Contains(name, first.ID()) {
		t.Errorf("the session %s is called %q", first.ID(), name)
	}
	if again := callText(t, first, "session_name", nil); again != name {
		t.Errorf("the session is called %q and then %q", name, again)
	}
	if other := callText(t, second, "session_name", nil); other == name {
		t.Errorf("two sessions are called %q", name)
	}
	// The name is not a valid session ID: a client cannot use it to send requests in the session.
	header := map[string]string{"Mcp-Session-Id": name}
	if status, _, _ := s.send(t, request{body: `{"jsonrpc":"2.0","id":1,"method":"ping"}`, header: header}); status != http.StatusNotFound {
		t.Errorf("the name was accepted as an ID: %d", status)
	}
	if name := callText(t, s.connect(t, "2026-07-28", nil, ""), "session_name", nil); name != "" {
		t.Errorf("a client without sessions has %q", name)
	}
}
