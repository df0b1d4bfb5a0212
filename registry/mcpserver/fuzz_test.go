package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// For any input, each line of output is a message, and a request after the input is answered.
func FuzzStdio(f *testing.F) {
	for _, seed := range []string{
		"", "hello", "[]", "\x00", "\xef\xbb\xbf", hello, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":[1,2]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"AA=="}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}`,
		`{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"debug"}}`,
	} {
		f.Add([]byte(seed))
	}
	w := newWorld(f, mcpserver.Options{})
	w.add(f, tool.Spec{Name: "echo", Parameters: json.RawMessage(`{"type":"object"}`)}, says("ok"))
	const last = `"the last request of this test"`
	f.Fuzz(func(t *testing.T, input []byte) {
		if bytes.Contains(input, []byte("the last request")) || bytes.Contains(input, []byte("subscriptions")) {
			t.Skip("the input would cancel the last request, or subscribe to changes")
		}
		var out bytes.Buffer
		in := io.MultiReader(strings.NewReader(hello+"\n"), bytes.NewReader(input), strings.NewReader("\n"+`{"jsonrpc":"2.0","id":`+last+`,"method":"ping"}`))
		if err := w.server.ServeStdio(context.Background(), in, &out); err != nil {
			t.Fatalf("the server ended with %v", err)
		}
		answered := false
		for s := bufio.NewScanner(&out); s.Scan(); {
			var m rawMessage
			if err := json.Unmarshal(s.Bytes(), &m); err != nil {
				t.Fatalf("the server wrote %q: %v", s.Text(), err)
			}
			answered = answered || string(m.ID) == last && m.Error == nil
		}
		if !answered {
			t.Fatalf("the last request is not answered:\n%s", &out)
		}
	})
}
