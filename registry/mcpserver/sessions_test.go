package mcpserver_test

import (
	"context"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// What a call has begun for its caller ends with the caller's session, however that ends,
// and not with another's.
func TestWhatWasBegunEndsWithTheSession(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options mcpserver.HTTPOptions
		closes  bool
	}{
		"closed": {mcpserver.HTTPOptions{}, true},
		"idle":   {mcpserver.HTTPOptions{SessionIdle: 200 * time.Millisecond}, false},
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
				return tool.Result{Content: []tool.Content{tool.TextContent("begun")}}, nil
			})
			first := w.listen(t, c.options).connect(t, "2025-11-25", nil, "")
			other := w.listen(t, mcpserver.HTTPOptions{}).connect(t, "2025-11-25", nil, "")
			id := first.ID()
			callText(t, other, "begin", nil)
			callText(t, first, "begin", nil)
			if c.closes {
				if err := first.Close(); err != nil {
					t.Error(err)
				}
			}
			if got := <-ended; got != id {
				t.Errorf("the job of %s ended, not that of %s", got, id)
			}
			select {
			case got := <-ended:
				t.Errorf("the job of %s ended, too", got)
			default:
			}
		})
	}
}
