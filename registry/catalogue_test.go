package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func names(infos []Info) []string {
	list := []string{}
	for _, i := range infos {
		list = append(list, i.Name)
	}
	return list
}

// catalogue holds four tools, of which one is disabled.
func catalogue(t *testing.T) *Registry {
	t.Helper()
	r := New(Options{})
	for _, s := range []tool.Spec{
		{Name: "read", Title: "Read a file", Description: "Returns the lines of a text.", Category: "files", Tags: []string{"text"}, Aliases: []string{"cat"}},
		{Name: "write", Title: "Write a file", Description: "Stores a text.", Category: "files", Tags: []string{"text", "change"}},
		{Name: "fetch", Title: "Fetch", Description: "Reads a page of the web.", Category: "web"},
		{Name: "old", Title: "Old", Description: "Reads what was.", Tags: []string{"text"}},
	} {
		if err := r.Register(s, &fake{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Disable("old"); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestListAndStats(t *testing.T) {
	r := catalogue(t)
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
		if got := names(r.List(tt.filter)); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.filter, got, tt.want)
		}
	}
	want := Stats{Total: 4, Disabled: 1, Categories: map[string]int{"files": 2, "web": 1, "": 1}}
	if got := r.Stats(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if !r.Has("CAT") || r.Has("dog") {
		t.Error("Has does not know the names")
	}
}

func TestResolve(t *testing.T) {
	r := catalogue(t)
	got, err := r.Resolve("write", "cat", "old")
	if err != nil || !reflect.DeepEqual(names(got), []string{"write", "read", "old"}) {
		t.Errorf("got %v, %v", names(got), err)
	}
	_, err = r.Resolve("raed", "write", "nothing")
	if e := wantCode(t, err, tool.CodeNotFound); !strings.Contains(e.Message, `"raed"`) || !strings.Contains(e.Message, `"nothing"`) || !strings.Contains(e.Message, "did you mean read?") {
		t.Errorf("got %q", e.Message)
	}
}

func TestSearch(t *testing.T) {
	r := catalogue(t)
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
		if got := names(r.Search(query)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %v, want %v", query, got, want)
		}
	}
}

func TestDisabledToolsAreNotCalled(t *testing.T) {
	f := &fake{}
	r := withTool(t, Options{}, echo(), f)
	call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}
	if err := r.Disable("ECHO"); err != nil {
		t.Fatal(err)
	}
	_, err := r.Execute(context.Background(), call)
	wantCode(t, err, tool.CodeDisabled)
	if info, ok := r.Get("echo"); !ok || !info.Disabled {
		t.Errorf("got %+v, %v", info, ok)
	}
	if err := r.Enable("echo"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Execute(context.Background(), call); err != nil || f.closed {
		t.Errorf("after enabling: %v, executor closed: %v", err, f.closed)
	}
	wantCode(t, r.Disable("nothing"), tool.CodeNotFound)
	wantCode(t, r.Enable("nothing"), tool.CodeNotFound)
}

func TestUpdate(t *testing.T) {
	spec := echo()
	spec.Tags, spec.Aliases = []string{"a", "b"}, []string{"say"}
	r := withTool(t, Options{}, spec, &fake{})
	before, _ := r.Get("echo")
	description, timeout, tags, aliases := "Says it again.", 5*time.Second, []string{"b", "c"}, []string{"repeat"}
	diff, err := r.Update("say", Patch{Description: &description, Timeout: &timeout, Tags: &tags, Aliases: &aliases})
	if err != nil {
		t.Fatal(err)
	}
	want := "description: Echoes. -> Says it again.\ntimeout: 30s -> 5s\ntags: - a\ntags: + c\naliases: - say\naliases: + repeat\n"
	if got := diff.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	after, ok := r.Get("repeat")
	if !ok || after.Description != description || !after.CreatedAt.Equal(before.CreatedAt) || after.Version != before.Version {
		t.Errorf("got %+v", after)
	}
	if r.Has("say") || len(r.List(Filter{Tag: "a"})) > 0 || len(r.List(Filter{Tag: "c"})) != 1 {
		t.Error("the old alias or tag is still there")
	}

	for name, p := range map[string]Patch{
		"a schema with a fault": {Parameters: ptr(json.RawMessage(`{"type":"strng"}`))},
		"a question of nothing": {Confirm: ptr("Really {nothing}?")},
		"an alias of no form":   {Aliases: ptr([]string{"NO"})},
	} {
		_, err := r.Update("echo", p)
		wantCode(t, err, tool.CodeInvalidManifest)
		if now, _ := r.Get("echo"); !reflect.DeepEqual(now, after) {
			t.Errorf("%s: left %+v", name, now)
		}
	}
	_, err = r.Update("nothing", Patch{})
	wantCode(t, err, tool.CodeNotFound)
	if diff, err := r.Update("echo", Patch{}); err != nil || len(diff) > 0 {
		t.Errorf("an empty patch: %v, %v", diff, err)
	}
}

func ptr[T any](v T) *T { return &v }

func TestReplace(t *testing.T) {
	old, other := &fake{}, &fake{}
	r := withTool(t, Options{}, echo(), old)
	taken := echo()
	taken.Name, taken.Aliases = "other", []string{"say"}
	if err := r.Register(taken, other); err != nil {
		t.Fatal(err)
	}
	before, _ := r.Get("echo")
	spec := echo()
	spec.Version = "2.0.0"
	spec.Permissions = capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead, Deny: []string{".git/**"}}}, Env: []string{"TOKEN"}}
	next := &fake{}
	diff, err := r.Replace(spec, next)
	if err != nil {
		t.Fatal(err)
	}
	want := "permissions: + env:TOKEN\npermissions: + read:workspace at /workspace, but not .git/**\nversion: 1.0.0 -> 2.0.0\n"
	if got := diff.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if now, _ := r.Get("echo"); !now.CreatedAt.Equal(before.CreatedAt) || !old.closed || next.closed {
		t.Errorf("created %v and then %v; old closed: %v, new closed: %v", before.CreatedAt, now.CreatedAt, old.closed, next.closed)
	}

	// What does not hold changes nothing, and the caller keeps its executor.
	spec.Aliases = []string{"say"}
	failed := &fake{}
	_, err = r.Replace(spec, failed)
	wantCode(t, err, tool.CodeInvalidManifest)
	if failed.closed || next.closed || r.Has("echo") != true {
		t.Error("a replacement that failed changed something")
	}
	spec.Name, spec.Aliases = "nothing", nil
	_, err = r.Replace(spec, failed)
	wantCode(t, err, tool.CodeNotFound)
}

// A search among ten thousand tools takes less than five milliseconds.
func BenchmarkSearch(b *testing.B) {
	r := New(Options{})
	subjects := []string{"issue", "invoice", "customer", "calendar", "message", "repository", "database", "weather", "ticket", "document"}
	verbs := []string{"create", "delete", "list", "search", "update", "export", "import", "archive", "share", "count"}
	for i := range 10_000 {
		verb, subject := verbs[i%10], subjects[i/10%10]
		s := tool.Spec{
			Name:  fmt.Sprintf("%s_%s_%d", verb, subject, i),
			Title: fmt.Sprintf("%s a %s", verb, subject), Category: subject, Tags: []string{verb, "bench"},
			Description: fmt.Sprintf("Lets a model %s what the service number %d of the company knows about a %s, word%d and other%d.", verb, i, subject, i, i%997),
		}
		if err := r.Register(s, &fake{}); err != nil {
			b.Fatal(err)
		}
	}
	for _, query := range []string{"search invoice", "serach invioce", "service company 777", "word777", "a", "nothingofthekind"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				r.SearchBest(query, 20)
			}
		})
	}
}
