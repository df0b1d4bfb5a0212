package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A message that two JSON readers could understand differently is refused over both transports.
// The error has the ID of the message unless the ID itself is ambiguous.
func TestAmbiguousMessagesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "echo", Parameters: json.RawMessage(`{"type":"object"}`)}, says("ok"))
	s := w.listen(t, mcpserver.HTTPOptions{})
	const params = `{"name":"echo","arguments":{}}`
	message := func(fields string) string { return `{"jsonrpc":"2.0",` + fields + `}` }
	call := func(params string) string { return message(`"id":1,"method":"tools/call","params":` + params) }
	for _, c := range []struct {
		name, line, id string
		code           int
		text           string
	}{
		{"unambiguous", call(params), `1`, 0, ""},
		{"two methods", message(`"id":1,"method":"ping","method":"tools/list"`), `1`, jsonrpc.CodeInvalidRequest, `"method" is given twice`},
		{"two ids", message(`"id":1,"id":2,"method":"ping"`), `null`, jsonrpc.CodeInvalidRequest, `"id" is given twice`},
		{"two versions", message(`"jsonrpc":"2.0","id":1,"method":"ping"`), `1`, jsonrpc.CodeInvalidRequest, `"jsonrpc" is given twice`},
		{"two params", message(`"id":1,"method":"tools/call","params":{},"params":` + params), `1`, jsonrpc.CodeInvalidRequest, `"params" is given twice`},
		{"two names", call(`{"name":"other","arguments":{},"name":"echo"}`), `1`, jsonrpc.CodeInvalidRequest, `"name" is given twice`},
		{"two arguments", call(`{"name":"echo","arguments":{},"arguments":{"a":1}}`), `1`, jsonrpc.CodeInvalidRequest, `"arguments" is given twice`},
		{"a repeated argument", call(`{"name":"echo","arguments":{"a":1,"a":2}}`), `1`, jsonrpc.CodeInvalidRequest, `"a" is given twice`},
		{"a repeated name deep down", call(`{"name":"echo","arguments":{"a":[{"b":{"c":1,"c":2}}]}}`), `1`, jsonrpc.CodeInvalidRequest, `"c" is given twice`},
		{"two methods, one escaped", message(`"id":1,"method":"ping","m\u0065thod":"tools/list"`), `1`, jsonrpc.CodeInvalidRequest, `"method" is given twice`},
		{"two ids, one escaped", message(`"id":1,"\u0069d":2,"method":"ping"`), `null`, jsonrpc.CodeInvalidRequest, `"id" is given twice`},
		{"a string id and two methods", message(`"method":"a","method":"b","id":"x"`), `"x"`, jsonrpc.CodeInvalidRequest, "twice"},
		{"a bad id and two methods", message(`"method":"a","method":"b","id":{}`), `null`, jsonrpc.CodeInvalidRequest, "twice"},
		{"two ids in a batch", `[` + message(`"id":1,"id":2`) + `]`, `null`, jsonrpc.CodeInvalidRequest, "twice"},
		{"method in other case", message(`"id":1,"Method":"ping"`), `1`, jsonrpc.CodeInvalidRequest, "a message must have a method"},
		{"no method", message(`"id":"q1","params":{}`), `"q1"`, jsonrpc.CodeInvalidRequest, "a message must have a method"},
		{"a result and an error", message(`"id":"q1","result":{},"error":{"code":1,"message":"x"}`), `null`, jsonrpc.CodeInvalidRequest, "either result or error"},
		{"an unknown level", message(`"id":1,"method":"logging/setLevel","params":{"level":"loud"}`), `1`, jsonrpc.CodeInvalidParams, "params.level must be one of debug, info"},
		{"a level in other case", message(`"id":1,"method":"logging/setLevel","params":{"level":"Debug"}`), `1`, jsonrpc.CodeInvalidParams, "params.level"},
		{"no level", message(`"id":1,"method":"logging/setLevel"`), `1`, jsonrpc.CodeInvalidParams, "params.level"},
		{"id in other case", message(`"id":1,"ID":2,"method":"ping"`), `1`, 0, ""},
		{"params in other case", message(`"id":1,"method":"tools/call","Params":` + params), `1`, jsonrpc.CodeInvalidRequest, "params"},
		{"name in other case", call(`{"Name":"echo","arguments":{}}`), `1`, jsonrpc.CodeInvalidParams, ""},
		{"name in both", call(`{"name":"echo","Name":"other","NAME":"more","arguments":{}}`), `1`, 0, ""},
		{
			"an answer in other case", call(`{"name":"echo","arguments":{},"inputResponses":{"a":{"action":"decline","Action":"accept"}}}`),
			`1`, jsonrpc.CodeInvalidRequest, "must be spelt action",
		},
		{
			"the roots of an answer", call(`{"name":"echo","arguments":{},"inputResponses":{"a":{"action":"decline","root\u017f":[]}}}`),
			`1`, jsonrpc.CodeInvalidRequest, "must be spelt roots",
		},
		{"a result in other case", message(`"id":7,"result":{"ACTION":"accept"}`), `null`, jsonrpc.CodeInvalidRequest, "must be spelt action"},
		{"an error in other case", message(`"id":7,"error":{"Code":1,"message":"x"}`), `null`, jsonrpc.CodeInvalidRequest, "a code and a message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := w.connectRaw(t)
			r.handshake()
			r.send(c.line)
			check := func(transport string, got rawMessage) {
				code, text := 0, ""
				if got.Error != nil {
					code, text = got.Error.Code, got.Error.Message
				}
				if string(got.ID) != c.id || code != c.code || !strings.Contains(text, c.text) {
					t.Errorf("%s: got the id %s, the code %d and %q; want %s, %d and %q", transport, got.ID, code, text, c.id, c.code, c.text)
				}
			}
			check("stdio", r.receive())
			if c.code != jsonrpc.CodeInvalidRequest || c.name == "params in other case" {
				return // over HTTP, the SDK writes these errors
			}
			status, text, _ := s.send(t, request{body: c.line})
			if status != http.StatusBadRequest {
				t.Fatalf("HTTP: status %d, %s", status, text)
			}
			var got rawMessage
			if err := json.Unmarshal([]byte(text), &got); err != nil {
				t.Fatal(fmt.Errorf("HTTP: %w in %s", err, text))
			}
			check("HTTP", got)
		})
	}
}
