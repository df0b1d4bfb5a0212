package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// fake is an executor that does nothing.
type fake struct{ closed bool }

func (*fake) Prepare(context.Context) error { return nil }

func (*fake) Execute(context.Context, tool.Invocation) (tool.Result, error) {
	return tool.Result{}, nil
}

func (f *fake) Close() error {
	f.closed = true
	return nil
}

// identified is a fake with a digest.
type identified struct {
	*fake
	digest string
}

func (f *identified) Digest(context.Context) (string, error) { return f.digest, nil }

// schema has a required string and a number with a default.
const schema = `{"type":"object","required":["text"],"properties":{"text":{"type":"string"},"limit":{"type":"integer","default":20}}}`

func echo() tool.Spec {
	return tool.Spec{Name: "echo", Version: "1.0.0", Description: "Echoes.", Parameters: json.RawMessage(schema), Source: "test"}
}

func withTool(t *testing.T, spec tool.Spec, f *fake) *Catalogue {
	t.Helper()
	c := New(Options{}, Hooks{})
	if err := c.Register(spec, f); err != nil {
		t.Fatal(err)
	}
	return c
}

func wantCode(t *testing.T, err error, want tool.Code) *tool.Error {
	t.Helper()
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("got %v (%s), want the code %s", err, tool.CodeOf(err), want)
	}
	return e
}

func TestRegisterRefuses(t *testing.T) {
	change := func(f func(s *tool.Spec)) tool.Spec {
		s := echo()
		s.Name = "other"
		f(&s)
		return s
	}
	tests := map[string]tool.Spec{
		"a name that is taken":                  change(func(s *tool.Spec) { s.Name = "echo" }),
		"an alias that is taken":                change(func(s *tool.Spec) { s.Aliases = []string{"echo"} }),
		"a name taken by an alias":              change(func(s *tool.Spec) { s.Name = "say" }),
		"no name":                               change(func(s *tool.Spec) { s.Name = "" }),
		"a name with a slash":                   change(func(s *tool.Spec) { s.Name = "a/b" }),
		"a name in capitals":                    change(func(s *tool.Spec) { s.Name = "Other" }),
		"an alias equal to the name":            change(func(s *tool.Spec) { s.Aliases = []string{"other"} }),
		"a schema of an unknown type":           change(func(s *tool.Spec) { s.Parameters = json.RawMessage(`{"type":"strng"}`) }),
		"a schema not of an object":             change(func(s *tool.Spec) { s.Parameters = json.RawMessage(`{"type":"array"}`) }),
		"an invalid result schema":              change(func(s *tool.Spec) { s.Result = json.RawMessage(`{"$ref":"#/nowhere"}`) }),
		"a question about an unknown parameter": change(func(s *tool.Spec) { s.Confirm = "Really {nothing}?" }),
		"an unfinished placeholder":             change(func(s *tool.Spec) { s.Confirm = "Really {text?" }),
	}
	for name, spec := range tests {
		t.Run(name, func(t *testing.T) {
			first := echo()
			first.Aliases = []string{"say"}
			c := withTool(t, first, &fake{})
			wantCode(t, c.Register(spec, &fake{}), tool.CodeInvalidManifest)
			if got := c.List(Filter{}); len(got) != 1 || got[0].Name != "echo" {
				t.Errorf("afterwards there are %+v", got)
			}
		})
	}
	wantCode(t, New(Options{}, Hooks{}).Register(echo(), nil), tool.CodeInvalidManifest)
}

func TestSpecsAreCopies(t *testing.T) {
	spec := echo()
	spec.Tags = []string{"a"}
	c := withTool(t, spec, &fake{})
	spec.Tags[0] = "changed"
	got, _ := c.Get("echo")
	got.Tags[0], got.Parameters[0] = "changed", 'x'
	if again, _ := c.Get("echo"); again.Tags[0] != "a" || again.Parameters[0] != '{' {
		t.Error("a caller changed the spec of the registry")
	}
}

// fourTools returns a catalogue of four tools, one of which is disabled.
func fourTools(t *testing.T) *Catalogue {
	t.Helper()
	c := New(Options{}, Hooks{})
	for _, s := range []tool.Spec{
		{Name: "read", Title: "Read a file", Description: "Returns the lines of a text.", Category: "files", Tags: []string{"text"}, Aliases: []string{"cat"}},
		{Name: "write", Title: "Write a file", Description: "Stores a text.", Category: "files", Tags: []string{"text", "change"}},
		{Name: "fetch", Title: "Fetch", Description: "Reads a page of the web.", Category: "web"},
		{Name: "old", Title: "Old", Description: "Reads what was.", Tags: []string{"text"}},
	} {
		if err := c.Register(s, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Disable("old"); err != nil {
		t.Fatal(err)
	}
	return c
}

func names(infos []Info) []string {
	list := []string{}
	for _, i := range infos {
		list = append(list, i.Name)
	}
	return list
}

func TestListAndStats(t *testing.T) {
	c := fourTools(t)
	for _, tt := range []struct {
		filter Filter
		want   []string
	}{
		{Filter{}, []string{"fetch", "read", "write"}},
		{Filter{Disabled: true}, []string{"fetch", "old", "read", "write"}},
		{Filter{Category: "files"}, []string{"read", "write"}},
		{Filter{Tag: "text"}, []string{"read", "write"}},
		{Filter{Tag: "text", Disabled: true}, []string{"old", "read", "write"}},
		{Filter{Category: "web", Tag: "text"}, []string{}},
		{Filter{Category: "Files"}, []string{}},
	} {
		if got := names(c.List(tt.filter)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.filter, got, tt.want)
		}
	}
	want := Stats{Total: 4, Disabled: 1, Categories: map[string]int{"files": 2, "web": 1, "": 1}}
	if got := c.Stats(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !c.Has("CAT") || c.Has("dog") {
		t.Error("Has reports wrong names")
	}
}

func TestResolve(t *testing.T) {
	c := fourTools(t)
	got, err := c.Resolve("write", "cat", "old")
	if err != nil || !reflect.DeepEqual(names(got), []string{"write", "read", "old"}) {
		t.Errorf("got %v, %v", names(got), err)
	}
	_, err = c.Resolve("raed", "write", "nothing")
	if e := wantCode(t, err, tool.CodeNotFound); !strings.Contains(e.Message, `"raed"`) || !strings.Contains(e.Message, `"nothing"`) || !strings.Contains(e.Message, "did you mean read?") {
		t.Errorf("got %q", e.Message)
	}
}

func TestSearch(t *testing.T) {
	c := fourTools(t)
	for query, want := range map[string][]string{
		"read":      {"read", "fetch"}, // a match in a name ranks before a match in a description
		"READ":      {"read", "fetch"},
		"cat":       {"read"}, // an alias
		"text":      {"read", "write"},
		"change":    {"write"}, // a tag
		"file":      {"read", "write"},
		"file text": {"read", "write"},
		"file web":  {},
		"rit":       {"write"},         // a part of a name
		"fiel txet": {"read", "write"}, // typing errors
		"":          {},
		"  ":        {},
		"old":       {}, // disabled
	} {
		if got := names(c.Search(query, 0)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

func TestUpdate(t *testing.T) {
	spec := echo()
	spec.Tags, spec.Aliases = []string{"a", "b"}, []string{"say"}
	c := withTool(t, spec, &fake{})
	before, _ := c.Get("echo")
	description, timeout, tags, aliases := "Says it again.", 5*time.Second, []string{"b", "c"}, []string{"repeat"}
	diff, err := c.Update("say", Patch{Description: &description, Timeout: &timeout, Tags: &tags, Aliases: &aliases})
	if err != nil {
		t.Fatal(err)
	}
	want := "description: Echoes. -> Says it again.\ntimeout: 30s -> 5s\ntags: - a\ntags: + c\naliases: - say\naliases: + repeat\n"
	if got := diff.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	after, err := c.Get("repeat")
	if err != nil || after.Description != description || !after.CreatedAt.Equal(before.CreatedAt) || after.Version != before.Version {
		t.Errorf("got %+v", after)
	}
	if c.Has("say") || len(c.List(Filter{Tag: "a"})) > 0 || len(c.List(Filter{Tag: "c"})) != 1 {
		t.Error("the old alias or tag is still there")
	}

	for name, p := range map[string]Patch{
		"an invalid schema":                     {Parameters: ptr(json.RawMessage(`{"type":"strng"}`))},
		"a question about an unknown parameter": {Confirm: ptr("Really {nothing}?")},
		"an invalid alias":                      {Aliases: ptr([]string{"NO"})},
	} {
		_, err := c.Update("echo", p)
		wantCode(t, err, tool.CodeInvalidManifest)
		if now, _ := c.Get("echo"); !reflect.DeepEqual(now, after) {
			t.Errorf("%s: left %+v", name, now)
		}
	}
	_, err = c.Update("nothing", Patch{})
	wantCode(t, err, tool.CodeNotFound)
	if diff, err := c.Update("echo", Patch{}); err != nil || len(diff) > 0 {
		t.Errorf("an empty patch: %v, %v", diff, err)
	}
}

func ptr[T any](v T) *T { return &v }

func TestReplace(t *testing.T) {
	old, other := &fake{}, &fake{}
	c := withTool(t, echo(), old)
	taken := echo()
	taken.Name, taken.Aliases = "other", []string{"say"}
	if err := c.Register(taken, other); err != nil {
		t.Fatal(err)
	}
	before, _ := c.Get("echo")
	spec := echo()
	spec.Version = "2.0.0"
	spec.Permissions = capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead, Deny: []string{".git/**"}}}, Env: []string{"TOKEN"}}
	next := &fake{}
	diff, err := c.Replace(spec.Name, spec, next)
	if err != nil {
		t.Fatal(err)
	}
	want := "permissions: + env:TOKEN\npermissions: + read:workspace at /workspace, but not .git/**\nversion: 1.0.0 -> 2.0.0\n"
	if got := diff.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if now, _ := c.Get("echo"); !now.CreatedAt.Equal(before.CreatedAt) || !old.closed || next.closed {
		t.Errorf("created %v and then %v; old closed: %v, new closed: %v", before.CreatedAt, now.CreatedAt, old.closed, next.closed)
	}

	// An invalid replacement changes nothing, and the caller still owns the executor.
	spec.Aliases = []string{"say"}
	failed := &fake{}
	_, err = c.Replace(spec.Name, spec, failed)
	wantCode(t, err, tool.CodeInvalidManifest)
	if failed.closed || next.closed || c.Has("echo") != true {
		t.Error("a failed replacement changed something")
	}
	spec.Name, spec.Aliases = "nothing", nil
	_, err = c.Replace(spec.Name, spec, failed)
	wantCode(t, err, tool.CodeNotFound)
}

func TestValidateSpec(t *testing.T) {
	if err := ValidateSpec(echo()); err != nil {
		t.Error(err)
	}
	for field, spec := range map[string]tool.Spec{
		"name":       {},
		"aliases":    {Name: "a", Aliases: []string{"a"}},
		"parameters": {Name: "a", Parameters: json.RawMessage(`{}`)},
		"result":     {Name: "a", Result: json.RawMessage(`5`)},
		"confirm":    {Name: "a", Confirm: "{"},
	} {
		if e := wantCode(t, ValidateSpec(spec), tool.CodeInvalidManifest); e.Details.Field != field {
			t.Errorf("got the field %q in %v, want %q", e.Details.Field, e, field)
		}
	}
}

// Parameters returns a flat list, which a program can show as a form.
func TestParameters(t *testing.T) {
	spec := echo()
	spec.Parameters = json.RawMessage(`{"type":"object","required":["s"],"properties":{
		"s":{"type":"string","description":"A text","enum":["a","b"]},"i":{"type":"integer","default":7},"n":{"type":"number"},
		"b":{"type":"boolean"},"o":{"type":"object"},"l":{"type":"array","items":{}},"maybe":{"type":["integer","null"]},
		"either":{"type":["string","array"]},"both":{"type":["integer","number"]},"any":{}}}`)
	c := withTool(t, spec, &fake{})
	list, err := c.Parameters("ECHO")
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
	_, err = c.Parameters("nothing")
	wantCode(t, err, tool.CodeNotFound)
}
