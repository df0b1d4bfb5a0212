package compat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
)

// A host answers the requests of its user interface, and the fields of a request reach the call. A
// request cannot choose the tenant.
func TestAnswer(t *testing.T) {
	r, e := withEcho(t)
	tenant := r.Tenant("a", registry.TenantOptions{})
	for text, want := range map[string]string{
		`{"toolId":" Echo ","arguments":{"text":"x"},"messageId":"m","sessionId":"s","toolCallId":"c","tenant":"b","Tenant":"b"}`: `{"success":true,"result":{"title":"echo","output":"{\"text\":\"x\",\"limit\":20}","metadata":{}}}`,
		`{"toolId":"ecko"}`: `did you mean echo?`,
		`{"toolId":"echo"}`: `parameter \"text\" is required`,
	} {
		var request Request
		if err := json.Unmarshal([]byte(text), &request); err != nil {
			t.Fatal(err)
		}
		response := Answer(t.Context(), tenant, request)
		got, err := json.Marshal(response)
		if err != nil || !strings.Contains(string(got), want) || response.Success != (response.Error == "") {
			t.Errorf("%s: got %s, %v, want %s", text, got, err, want)
		}
	}
	if c := e.seen; c.Message != "m" || c.Session != "s" || c.ID != "c" || c.Tenant != "a" {
		t.Errorf("the tool saw %+v", c)
	}
}
