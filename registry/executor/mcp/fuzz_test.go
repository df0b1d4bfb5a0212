package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// A result that is taken holds what it says, or is a failure.
func FuzzResult(f *testing.F) {
	for _, seed := range []string{
		`{"content":[{"type":"text","text":"a"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"structuredContent":{"n":1.10}}`,
		`{"content":[{"type":"resource","resource":{"uri":"x://y","blob":"aGk=","_meta":1}}],"isError":true}`,
		`{"content":[null,7,{"type":"resource","resource":null,"annotations":[]}],"structuredContent":null}`, `{}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if !json.Valid(raw) {
			return // no message has it
		}
		result, err := parseResult(raw)
		if fault := result.Check(); err == nil && fault != nil {
			t.Errorf("%s: %v", raw, fault)
		}
		if code := tool.CodeOf(err); err != nil && code != tool.CodeExecution && code != tool.CodeInvalidOutput {
			t.Errorf("%s: %v", raw, err)
		}
	})
}

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
