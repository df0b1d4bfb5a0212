package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// The client stops reading when the server ends, no matter what the server sent.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":1,"error":null}`, `{"id":1,"method":"ping"}`, `{"id":[],"method":"x"}`,
		`{"method":"notifications/progress","params":{"progressToken":1,"progress":1e999}}`, "null\n[]\n\xff\n{", `{"method":7,"id":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := newConn(&wire{Reader: bytes.NewReader(sent), Writer: io.Discard}, func(string, json.RawMessage) {})
		// The call may get a response, or begin after the server has ended. In both cases, it
		// returns.
		_, _ = c.call(t.Context(), "tools/call", map[string]any{}, func(raw json.RawMessage) { _ = parseProgress(raw) })
		<-c.closed
		if _, err := c.call(t.Context(), "tools/list", nil, nil); err == nil {
			t.Error("a call succeeds on a connection that has ended")
		}
	})
}
