package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// A model is told of the tools that can be called, and of no others (R119).
func TestDefinitions(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{})
	for _, name := range []string{"a_first", "off", "denied"} {
		spec := echo()
		spec.Name, spec.Title = name, "Title of "+name
		if err := r.Register(spec, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Disable("off"); err != nil {
		t.Fatal(err)
	}
	known := policy.Known{Tools: []policy.ToolFacts{{Name: "denied"}}}
	p, err := policy.Compile(policy.Config{Deny: []string{"denied"}}, known)
	if err != nil {
		t.Fatal(err)
	}
	r.SetRules(Rules{Policy: p})
	text, err := json.Marshal(r.Definitions())
	if want := `[{"name":"a_first","label":"Title of a_first","description":"Echoes.","parameters":` + schema + `},{"name":"echo","label":"echo","description":"Echoes.","parameters":` + schema + `}]`; err != nil || string(text) != want {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
	if got := r.Tenant("a", Overlay{Policy: compile(t, policy.Config{Deny: []string{"echo"}})}).Definitions(); len(got) != 1 || got[0].Name != "a_first" {
		t.Errorf("a tenant has %+v", got)
	}
	r.SetRules(Rules{Policy: compile(t, policy.Config{Off: true})})
	if got := r.Definitions(); len(got) > 0 {
		t.Errorf("all tools are off, and there are %+v", got)
	}
}

// Forms get a flat list of parameters (R18).
func TestParameters(t *testing.T) {
	spec := echo()
	spec.Parameters = json.RawMessage(`{"type":"object","required":["s"],"properties":{
		"s":{"type":"string","description":"A text","enum":["a","b"]},"i":{"type":"integer","default":7},"n":{"type":"number"},
		"b":{"type":"boolean"},"o":{"type":"object"},"l":{"type":"array","items":{}},"maybe":{"type":["integer","null"]},
		"either":{"type":["string","array"]},"both":{"type":["integer","number"]},"any":{}}}`)
	r := withTool(t, Options{}, spec, &fake{})
	list, err := r.Parameters("ECHO")
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, p := range list {
		got += p.Name + " " + p.Type + "\n"
	}
	if want := "s string\ni number\nn number\nb boolean\no object\nl array\nmaybe number\neither any\nboth number\nany any\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if s := list[0]; !s.Required || s.Description != "A text" || fmt.Sprintf("%s", s.Enum) != `["a" "b"]` || string(list[1].Default) != "7" || list[1].Required {
		t.Errorf("got %+v", list[:2])
	}
	_, err = r.Parameters("nothing")
	wantCode(t, err, tool.CodeNotFound)
}

// Older dispatchers find what they know (R36, R82).
func TestDispatch(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{})
	for arguments, want := range map[string]string{
		`{"text":"x"}`: `{"status":"success","tool":"echo","output":"{\"text\":\"x\",\"limit\":20}"}`,
		`{"text":1.5}`: `{"status":"success","tool":"echo","output":"{\"text\":\"1.5\",\"limit\":20}"}`,
	} {
		text, err := json.Marshal(r.Dispatch(t.Context(), "echo", json.RawMessage(arguments)))
		if err != nil || string(text) != want {
			t.Errorf("got %s, %v", text, err)
		}
	}
	if got := r.Dispatch(t.Context(), "ecko", nil); got.Status != "error" || got.Tool != "ecko" || !strings.Contains(got.Error, "did you mean echo?") {
		t.Errorf("got %+v", got)
	}
}

func TestExecuteWithContext(t *testing.T) {
	at := ToolContext{CallID: "id", Tenant: "t", SessionID: "s", MessageID: "m", WorkingDirectory: "/workspace"}
	r := withTool(t, Options{}, echo(), does(func(_ context.Context, in tool.Invocation) {
		if got := (ToolContext{in.Call.ID, in.Call.Tenant, in.Call.Session, in.Call.Message, in.Call.WorkingDirectory}); got != at {
			t.Errorf("got %+v", got)
		}
	}))
	if result, err := r.ExecuteWithContext(t.Context(), "echo", json.RawMessage(`{"text":"x"}`), at); err != nil || result.Call.ID != "id" {
		t.Errorf("got %+v, %v", result, err)
	}
}
