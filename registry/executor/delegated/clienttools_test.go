package delegated_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/executor/delegated"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A client defines a tool in the form of chat APIs, gets the call, and sends the result.
func TestClientDefinesATool(t *testing.T) {
	inbox := delegated.NewInbox(delegated.Options{})
	specs, err := delegated.ClientTools([]byte(`[{"type":"function","function":{"name":"pick_color","description":"Lets the user pick a color.","strict":true,
		"parameters":{"type":"object","properties":{"title":{"type":"string"}},"required":["title"]}}}]`))
	if err != nil || len(specs) != 1 {
		t.Fatalf("got %+v, %v", specs, err)
	}
	r := registry.New(registry.Options{})
	defer r.Close()
	spec, executor, err := inbox.Define(specs[0], delegated.Later)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Tools().Register(spec, executor); err != nil {
		t.Fatal(err)
	}
	tenant := r.Tenant("a", registry.TenantOptions{})
	call := tool.Call{ID: "c", Tool: "pick_color", Arguments: json.RawMessage(`{"title":"Wall"}`)}
	if result, err := tenant.Execute(t.Context(), call); err != nil || !result.Pending {
		t.Fatalf("got %+v, %v", result, err)
	}
	open := inbox.Open("a")
	if len(open) != 1 || string(open[0].Arguments) != `{"title":"Wall"}` {
		t.Fatalf("the client got %+v", open)
	}
	if err := inbox.Complete(open[0].Key(), tool.Result{Content: []tool.Content{tool.TextContent("red")}}); err != nil {
		t.Error(err)
	}
	if _, err := tenant.Execute(t.Context(), tool.Call{Tool: "pick_color"}); tool.CodeOf(err) != tool.CodeInvalidArgument {
		t.Errorf("without arguments: %v", err)
	}
}

func TestInvalidClientTools(t *testing.T) {
	for text, want := range map[string]string{
		``:                                       "the client's tools: ",
		`{}`:                                     "they must be an array, got object",
		`[1]`:                                    `[0] has no object "function"`,
		`[{"name":"a"}]`:                         `[0] has no object "function"`,
		`[{"Function":{"name":"a"}}]`:            `[0] has no object "function"`,
		`[{"function":{"name":1}}]`:              `[0].function.name must be a string, got number 1`,
		`[{"function":{},"function":{}}]`:        "function",
		`[` + strings.Repeat(`{},`, 256) + `{}]`: "there are 257; the limit is 256",
	} {
		specs, err := delegated.ClientTools([]byte(text))
		if specs != nil || tool.CodeOf(err) != tool.CodeInvalidManifest || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %+v, %v, want %q", text, specs, err, want)
		}
	}
	// What the definition says is checked where the tool is defined.
	for _, function := range []string{`{}`, `{"name":"Pick Color"}`, `{"name":"a","parameters":{"type":"string"}}`, `{"name":"a","parameters":1}`} {
		specs, err := delegated.ClientTools([]byte(`[{"function":` + function + `}]`))
		if err != nil {
			t.Errorf("%s: %v", function, err)
			continue
		}
		if _, _, err := delegated.NewInbox(delegated.Options{}).Define(specs[0], delegated.Wait); tool.CodeOf(err) != tool.CodeInvalidManifest {
			t.Errorf("%s is defined: %v", function, err)
		}
	}
}
