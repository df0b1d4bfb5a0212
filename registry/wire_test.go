package registry

import (
	"encoding/json"
	"fmt"
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
		if err := r.Tools().Register(spec, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Tools().Disable("off"); err != nil {
		t.Fatal(err)
	}
	known := policy.Known{Tools: []policy.ToolFacts{{Name: "denied"}}}
	p, err := policy.Compile(policy.Config{Deny: []string{"denied"}}, known)
	if err != nil {
		t.Fatal(err)
	}
	r.SetRules(Rules{Policy: p})
	text, err := json.Marshal(r.Tools().Definitions())
	if want := `[{"name":"a_first","label":"Title of a_first","description":"Echoes.","parameters":` + schema + `},{"name":"echo","label":"echo","description":"Echoes.","parameters":` + schema + `}]`; err != nil || string(text) != want {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
	if got := r.Tenant("a", Overlay{Policy: compile(t, policy.Config{Deny: []string{"echo"}})}).Definitions(); len(got) != 1 || got[0].Name != "a_first" {
		t.Errorf("a tenant has %+v", got)
	}
	r.SetRules(Rules{Policy: compile(t, policy.Config{Off: true})})
	if got := r.Tools().Definitions(); len(got) > 0 {
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
	list, err := r.Tools().Parameters("ECHO")
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
	_, err = r.Tools().Parameters("nothing")
	wantCode(t, err, tool.CodeNotFound)
}
