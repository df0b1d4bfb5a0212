package registry

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func names(infos []catalogue.Info) []string {
	list := []string{}
	for _, i := range infos {
		list = append(list, i.Name)
	}
	return list
}

// fourTools holds four tools, of which one is disabled.
func fourTools(t *testing.T) *Registry {
	t.Helper()
	r := New(Options{})
	for _, s := range []tool.Spec{
		{Name: "read", Title: "Read a file", Description: "Returns the lines of a text.", Category: "files", Tags: []string{"text"}, Aliases: []string{"cat"}},
		{Name: "write", Title: "Write a file", Description: "Stores a text.", Category: "files", Tags: []string{"text", "change"}},
		{Name: "fetch", Title: "Fetch", Description: "Reads a page of the web.", Category: "web"},
		{Name: "old", Title: "Old", Description: "Reads what was.", Tags: []string{"text"}},
	} {
		if err := r.Tools().Register(s, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Tools().Disable("old"); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestListAndStats(t *testing.T) {
	r := fourTools(t)
	for _, tt := range []struct {
		filter catalogue.Filter
		want   []string
	}{
		{catalogue.Filter{}, []string{"fetch", "read", "write"}},
		{catalogue.Filter{Disabled: true}, []string{"fetch", "old", "read", "write"}},
		{catalogue.Filter{Category: "files"}, []string{"read", "write"}},
		{catalogue.Filter{Tag: "text"}, []string{"read", "write"}},
		{catalogue.Filter{Tag: "text", Disabled: true}, []string{"old", "read", "write"}},
		{catalogue.Filter{Category: "web", Tag: "text"}, []string{}},
		{catalogue.Filter{Category: "Files"}, []string{}},
	} {
		if got := names(r.Tools().List(tt.filter)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.filter, got, tt.want)
		}
	}
	want := catalogue.Stats{Total: 4, Disabled: 1, Categories: map[string]int{"files": 2, "web": 1, "": 1}}
	if got := r.Tools().Stats(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !r.Tools().Has("CAT") || r.Tools().Has("dog") {
		t.Error("Has does not know the names")
	}
}

func TestResolve(t *testing.T) {
	r := fourTools(t)
	got, err := r.Tools().Resolve("write", "cat", "old")
	if err != nil || !reflect.DeepEqual(names(got), []string{"write", "read", "old"}) {
		t.Errorf("got %v, %v", names(got), err)
	}
	_, err = r.Tools().Resolve("raed", "write", "nothing")
	if e := wantCode(t, err, tool.CodeNotFound); !strings.Contains(e.Message, `"raed"`) || !strings.Contains(e.Message, `"nothing"`) || !strings.Contains(e.Message, "did you mean read?") {
		t.Errorf("got %q", e.Message)
	}
}

func TestSearch(t *testing.T) {
	r := fourTools(t)
	for query, want := range map[string][]string{
		"read":      {"read", "fetch"}, // the name, then a description
		"READ":      {"read", "fetch"},
		"cat":       {"read"}, // an alias
		"text":      {"read", "write"},
		"file":      {"read", "write"},
		"file text": {"read", "write"},
		"file web":  {},
		"rit":       {"write"},         // a part of a name
		"fiel txet": {"read", "write"}, // with slips
		"":          {},
		"  ":        {},
		"old":       {}, // disabled
	} {
		if got := names(r.Tools().Search(query, 0)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

func TestDisabledToolsAreNotCalled(t *testing.T) {
	f := &fake{}
	r := withTool(t, Options{}, echo(), f)
	call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}
	if err := r.Tools().Disable("ECHO"); err != nil {
		t.Fatal(err)
	}
	_, err := r.Execute(context.Background(), call)
	wantCode(t, err, tool.CodeDisabled)
	if info, ok := r.Tools().Get("echo"); !ok || !info.Disabled {
		t.Errorf("got %+v, %v", info, ok)
	}
	if err := r.Tools().Enable("echo"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Execute(context.Background(), call); err != nil || f.closed {
		t.Errorf("after enabling: %v, executor closed: %v", err, f.closed)
	}
	wantCode(t, r.Tools().Disable("nothing"), tool.CodeNotFound)
	wantCode(t, r.Tools().Enable("nothing"), tool.CodeNotFound)
}

func TestUpdate(t *testing.T) {
	spec := echo()
	spec.Tags, spec.Aliases = []string{"a", "b"}, []string{"say"}
	r := withTool(t, Options{}, spec, &fake{})
	before, _ := r.Tools().Get("echo")
	description, timeout, tags, aliases := "Says it again.", 5*time.Second, []string{"b", "c"}, []string{"repeat"}
	diff, err := r.Tools().Update("say", catalogue.Patch{Description: &description, Timeout: &timeout, Tags: &tags, Aliases: &aliases})
	if err != nil {
		t.Fatal(err)
	}
	want := "description: Echoes. -> Says it again.\ntimeout: 30s -> 5s\ntags: - a\ntags: + c\naliases: - say\naliases: + repeat\n"
	if got := diff.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	after, ok := r.Tools().Get("repeat")
	if !ok || after.Description != description || !after.CreatedAt.Equal(before.CreatedAt) || after.Version != before.Version {
		t.Errorf("got %+v", after)
	}
	if r.Tools().Has("say") || len(r.Tools().List(catalogue.Filter{Tag: "a"})) > 0 || len(r.Tools().List(catalogue.Filter{Tag: "c"})) != 1 {
		t.Error("the old alias or tag is still there")
	}

	for name, p := range map[string]catalogue.Patch{
		"a schema with a fault": {Parameters: ptr(json.RawMessage(`{"type":"strng"}`))},
		"a question of nothing": {Confirm: ptr("Really {nothing}?")},
		"an alias of no form":   {Aliases: ptr([]string{"NO"})},
	} {
		_, err := r.Tools().Update("echo", p)
		wantCode(t, err, tool.CodeInvalidManifest)
		if now, _ := r.Tools().Get("echo"); !reflect.DeepEqual(now, after) {
			t.Errorf("%s: left %+v", name, now)
		}
	}
	_, err = r.Tools().Update("nothing", catalogue.Patch{})
	wantCode(t, err, tool.CodeNotFound)
	if diff, err := r.Tools().Update("echo", catalogue.Patch{}); err != nil || len(diff) > 0 {
		t.Errorf("an empty patch: %v, %v", diff, err)
	}
}

func ptr[T any](v T) *T { return &v }

func TestReplace(t *testing.T) {
	old, other := &fake{}, &fake{}
	r := withTool(t, Options{}, echo(), old)
	taken := echo()
	taken.Name, taken.Aliases = "other", []string{"say"}
	if err := r.Tools().Register(taken, other); err != nil {
		t.Fatal(err)
	}
	before, _ := r.Tools().Get("echo")
	spec := echo()
	spec.Version = "2.0.0"
	spec.Permissions = capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead, Deny: []string{".git/**"}}}, Env: []string{"TOKEN"}}
	next := &fake{}
	diff, err := r.Tools().Replace(spec.Name, spec, next)
	if err != nil {
		t.Fatal(err)
	}
	want := "permissions: + env:TOKEN\npermissions: + read:workspace at /workspace, but not .git/**\nversion: 1.0.0 -> 2.0.0\n"
	if got := diff.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if now, _ := r.Tools().Get("echo"); !now.CreatedAt.Equal(before.CreatedAt) || !old.closed || next.closed {
		t.Errorf("created %v and then %v; old closed: %v, new closed: %v", before.CreatedAt, now.CreatedAt, old.closed, next.closed)
	}

	// What does not hold changes nothing, and the caller keeps its executor.
	spec.Aliases = []string{"say"}
	failed := &fake{}
	_, err = r.Tools().Replace(spec.Name, spec, failed)
	wantCode(t, err, tool.CodeInvalidManifest)
	if failed.closed || next.closed || r.Tools().Has("echo") != true {
		t.Error("a replacement that failed changed something")
	}
	spec.Name, spec.Aliases = "nothing", nil
	_, err = r.Tools().Replace(spec.Name, spec, failed)
	wantCode(t, err, tool.CodeNotFound)
}
