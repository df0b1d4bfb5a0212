package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// answer is what a stand-in for a built-in tool answers: content and a structured result.
type answer struct {
	structured any
	content    []tool.Content
}

// addBuiltin adds a stand-in for a built-in tool.
func (w *world) addBuiltin(t *testing.T, spec tool.Spec, f func(arguments map[string]any, session string) answer) {
	t.Helper()
	spec.Source, spec.Details, spec.Version = "builtin", true, "1.0.0"
	w.add(t, spec, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		var arguments map[string]any
		if err := json.Unmarshal(in.Arguments, &arguments); err != nil {
			return tool.Result{}, err
		}
		a := f(arguments, in.Call.Session)
		structured, err := json.Marshal(a.structured)
		return tool.Result{Content: a.content, Structured: structured}, err
	})
}

var anyArguments = json.RawMessage(`{"type":"object","additionalProperties":true}`)

// Clients get the files in pages, and at most 1,000 of them. Completions have at most 100 values.
func TestResourcesAndCompletionsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{PageSize: 300})
	var files, entries []any
	for i := range 1000 {
		files = append(files, fmt.Sprintf("dir/%d", i))
		entries = append(entries, map[string]any{"path": fmt.Sprintf("dir/%d", i), "kind": "file"})
	}
	w.addBuiltin(t, tool.Spec{Name: "read", Parameters: anyArguments}, func(map[string]any, string) answer { return answer{} })
	w.addBuiltin(t, tool.Spec{Name: "glob", Parameters: anyArguments}, func(map[string]any, string) answer {
		return answer{map[string]any{"files": files}, []tool.Content{tool.TextContent("files")}}
	})
	w.addBuiltin(t, tool.Spec{Name: "list", Parameters: anyArguments}, func(a map[string]any, _ string) answer {
		if !maps.Equal(a, map[string]any{"path": "dir", "depth": 1.0, "limit": 2000.0, "include_hidden": false}) {
			t.Errorf("list gets %v", a)
		}
		return answer{map[string]any{"entries": entries}, []tool.Content{tool.TextContent("entries")}}
	})
	// The server offers completions if the tools exist when it begins.
	w.server = mcpserver.New(w.tools, mcpserver.Options{PageSize: 300, Approver: w.approver})
	t.Cleanup(w.server.Close)
	for _, revision := range revisions {
		session := w.connect(t, revision, nil)
		var sizes []int
		seen := make(map[string]bool)
		for cursor := ""; len(sizes) == 0 || cursor != ""; {
			page, err := session.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Resources {
				seen[r.URI] = true
			}
			sizes, cursor = append(sizes, len(page.Resources)), page.NextCursor
		}
		if !slices.Equal(sizes, []int{300, 300, 300, 100}) || len(seen) != 1000 || !seen["workspace:///dir/999"] {
			t.Errorf("%s: the pages have %v, together %d", revision, sizes, len(seen))
		}
		for _, cursor := range []string{"-1", "x", "5000"} {
			if _, err := session.ListResources(t.Context(), &mcp.ListResourcesParams{Cursor: cursor}); err == nil {
				t.Errorf("%s: the cursor %s is accepted", revision, cursor)
			}
		}
		got, err := session.Complete(t.Context(), &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "workspace:///{+path}{?offset}"},
			Argument: mcp.CompleteParamsArgument{Name: "path", Value: "dir/9"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if c := got.Completion; len(c.Values) != 100 || c.Total != 111 || !c.HasMore || slices.ContainsFunc(c.Values, func(v string) bool { return !strings.HasPrefix(v, "dir/9") }) {
			t.Errorf("%s: the completion is %+v", revision, c)
		}
	}
}

// Reading a resource asks the user like the call would, and again and again if it has to. It is not
// taken for a repetition of the model.
func TestResourceIsReadLikeACall(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	for _, revision := range revisions {
		w := newWorld(t, mcpserver.Options{})
		w.addBuiltin(t, tool.Spec{Name: "read", Parameters: anyArguments, Dangerous: true}, func(a map[string]any, session string) answer {
			if session != "" || a["file_path"] != "a/b c.png" {
				t.Errorf("read gets %v in %q", a, session)
			}
			return answer{map[string]any{"kind": "image"}, []tool.Content{tool.TextContent("an image"), {Type: tool.ContentImage, Data: picture.Bytes(), MIMEType: "image/png"}}}
		})
		w.server = mcpserver.New(w.tools, mcpserver.Options{Approver: w.approver}) // with the tool
		t.Cleanup(w.server.Close)
		p := &person{action: "accept"}
		session := w.connect(t, revision, p.options())
		for range 12 {
			got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "workspace:///a/b%20c.png"})
			if err != nil {
				t.Fatalf("%s: %v", revision, err)
			}
			if c := got.Contents; len(c) != 1 || c[0].MIMEType != "image/png" || !bytes.Equal(c[0].Blob, picture.Bytes()) || c[0].Text != "" {
				t.Fatalf("%s: got %+v", revision, c)
			}
		}
		if n := p.asked.Load(); n != 12 {
			t.Errorf("%s: asked %d times", revision, n)
		}
		p.action = "decline"
		if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "workspace:///a/b%20c.png"}); err == nil || !strings.Contains(err.Error(), "read") {
			t.Errorf("%s: after a denial: %v", revision, err)
		}
	}
}

// A stored result belongs to the session of the call that made it.
func TestStoredResultIsReadInItsSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	var sessions []string
	w.addBuiltin(t, tool.Spec{Name: "read_result", Parameters: anyArguments}, func(a map[string]any, session string) answer {
		sessions = append(sessions, session)
		return answer{map[string]any{"next": 9}, []tool.Content{tool.TextContent(fmt.Sprint("1\t", a["handle"], a["offset"])), tool.TextContent("[continues]")}}
	})
	w.addBuiltin(t, tool.Spec{Name: "own"}, func(_ map[string]any, session string) answer {
		sessions = append(sessions, session)
		return answer{nil, []tool.Content{tool.TextContent("x")}}
	})
	session := w.connect(t, "2025-11-25", nil)
	callText(t, session, "own", nil)
	got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "result:///result_A?offset=7"})
	if err != nil || got.Contents[0].Text != "1\tresult_A7" {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(sessions) != 2 || sessions[0] == "" || sessions[0] != sessions[1] {
		t.Errorf("the sessions are %q", sessions)
	}
}

// A tool of another author with the name of a built-in tool gives no resources.
func TestOnlyBuiltinToolsGiveResources(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	for _, name := range []string{"read", "glob", "skill"} {
		w.add(t, tool.Spec{Name: name, Source: "tools/" + name}, says("x"))
	}
	session := w.connect(t, "2025-11-25", nil)
	if c := session.InitializeResult().Capabilities; c.Resources != nil || c.Prompts != nil || c.Completions != nil {
		t.Errorf("the capabilities are %+v", c)
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "workspace:///x"}); err == nil {
		t.Error("a resource can be read")
	}
}

// Over HTTP, a resource is read for the tenant whose token the client sent.
func TestResourceIsReadForItsTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "read", Source: "builtin", Parameters: anyArguments}, func(ctx context.Context, in tool.Invocation) (tool.Result, error) {
		return says("of "+in.Call.Tenant)(ctx, in)
	})
	// The server offers resources at once only if the tools exist when it begins.
	w.server = mcpserver.New(w.tools, mcpserver.Options{})
	t.Cleanup(w.server.Close)
	tokens := map[string]string{"blue": "the-token-of-blue", "red": "the-token-of-red"}
	s := w.listen(t, mcpserver.HTTPOptions{Tokens: tokens})
	for _, revision := range revisions {
		for tenant, token := range tokens {
			got, err := s.connect(t, revision, nil, token).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "workspace:///x"})
			if err != nil || got.Contents[0].Text != "of "+tenant {
				t.Errorf("%s: %s gets %+v, %v", revision, tenant, got, err)
			}
		}
	}
}
