package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// Whatever a server sends, reading it ends when it does.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":1,"error":null}`, `{"id":1,"method":"ping"}`, `{"id":[],"method":"x"}`,
		`{"method":"notifications/progress","params":{"progressToken":1,"progress":1e999}}`, "null\n[]\n\xff\n{", `{"method":7,"id":"\ud800"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := newConn(struct {
			io.Reader
			io.Writer
		}{bytes.NewReader(sent), io.Discard}, func(string, json.RawMessage) {})
		// It may find an answer or come too late; either way it ends.
		_, _ = c.call(t.Context(), "tools/call", map[string]any{}, func(raw json.RawMessage) { _ = progressOf(raw) })
		<-c.closed
		if _, err := c.call(t.Context(), "tools/list", nil, nil); err == nil {
			t.Error("a connection that has ended answers")
		}
	})
}
