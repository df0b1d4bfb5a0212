package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestListHasEffectsFromPermissions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	url, err := capability.ParseURLPattern("https://api.example.com")
	if err != nil {
		t.Fatal(err)
	}
	sends := capability.Permissions{Net: []capability.Net{{URL: url, Methods: []string{"POST"}}}}
	object, array := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`), json.RawMessage(`{"type":"array"}`)
	for _, spec := range []tool.Spec{
		{Name: "a_reads", Title: "Reads", Sandboxed: true, Permissions: reads(), Result: object},
		{Name: "b_writes", Sandboxed: true, Permissions: writes(), Result: array},
		{Name: "c_sends", Sandboxed: true, Permissions: sends},
		{Name: "d_native"},
		{Name: "e_off"},
		{Name: "f_asks", Declared: &capability.Effects{ReadOnly: true}},
		{Name: "g_claims", Sandboxed: true, Permissions: writes(), Declared: &capability.Effects{ReadOnly: true}},
	} {
		w.add(t, spec, says("x"))
	}
	if err := w.tools.Tools().Disable("e_off"); err != nil {
		t.Fatal(err)
	}
	list, err := w.connect(t, "2025-11-25", nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range list.Tools {
		a := tool.Annotations
		got = append(got, fmt.Sprintf("%s %s readOnly=%v destructive=%v open=%v output=%v", tool.Name, tool.Title, a.ReadOnlyHint, *a.DestructiveHint, *a.OpenWorldHint, tool.OutputSchema != nil))
	}
	want := []string{
		"a_reads Reads readOnly=true destructive=false open=false output=true",
		"b_writes b_writes readOnly=false destructive=true open=false output=false",
		"c_sends c_sends readOnly=false destructive=true open=true output=false",
		"d_native d_native readOnly=false destructive=true open=true output=false",
		"f_asks f_asks readOnly=true destructive=false open=false output=false",
		"g_claims g_claims readOnly=false destructive=true open=false output=false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestPagesAreStable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{PageSize: 3})
	var want []string
	for i := range 10 {
		name := fmt.Sprintf("tool_%02d", i)
		w.add(t, tool.Spec{Name: name}, says("x"))
		want = append(want, name)
	}
	session := w.connect(t, "2025-11-25", nil)
	var got []string
	cursor := ""
	for page := 0; ; page++ {
		list, err := session.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			got = append(got, tool.Name)
		}
		if page == 0 { // a change before the cursor does not affect later pages
			w.add(t, tool.Spec{Name: "a_new"}, says("x"))
			if _, err := w.tools.Tools().Unregister("tool_00"); err != nil {
				t.Fatal(err)
			}
		}
		if cursor = list.NextCursor; cursor == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := session.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "made up"}); err == nil {
		t.Error("an invalid cursor is accepted")
	}
}

func TestClientsAreNotifiedOfChanges(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, mcpserver.Options{})
			w.add(t, tool.Spec{Name: "first"}, says("x"))
			changed := make(chan struct{}, 100)
			session := w.connect(t, revision, &mcp.ClientOptions{
				ToolListChangedHandler: func(_ context.Context, _ *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			})
			for _, step := range []struct {
				name   string
				change func() error
				want   []string
			}{
				{"register", func() error { return w.tools.Tools().Register(tool.Spec{Name: "second"}, says("y")) }, []string{"first", "second"}},
				{"disable", func() error { return w.tools.Tools().Disable("first") }, []string{"second"}},
				{"enable", func() error { return w.tools.Tools().Enable("first") }, []string{"first", "second"}},
				{"unregister", func() error { _, err := w.tools.Tools().Unregister("second"); return err }, []string{"first"}},
			} {
				if err := step.change(); err != nil {
					t.Fatal(err)
				}
				<-changed
				list, err := session.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, tool := range list.Tools {
					names = append(names, tool.Name)
				}
				if !slices.Equal(names, step.want) {
					t.Errorf("after %s: %v, want %v", step.name, names, step.want)
				}
			}
		})
	}
}

// The SDK panics for some schemas. Then only the tool with such a schema is left out.
func TestToolWithUnsupportedSchemaIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "odd", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"not a header!"}}}`)}, says("x"))
	w.add(t, tool.Spec{Name: "plain"}, says("fine"))
	session := w.connect(t, "2025-11-25", nil)
	if got := callText(t, session, "plain", nil); got != "fine" {
		t.Errorf("got %q", got)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 {
		t.Errorf("got %d tools (%v), want the plain one", len(list.Tools), err)
	}
}

func TestServerInfo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{Name: "tools of the house", Version: "1.2.3", Instructions: "Use them with care."})
	got := w.connect(t, "2025-11-25", nil).InitializeResult()
	if got.ServerInfo.Name != "tools of the house" || got.ServerInfo.Version != "1.2.3" || got.Instructions != "Use them with care." {
		t.Errorf("got %+v, %q", got.ServerInfo, got.Instructions)
	}
	if !got.Capabilities.Tools.ListChanged || got.Capabilities.Prompts != nil || got.Capabilities.Resources != nil {
		t.Errorf("got %+v", got.Capabilities)
	}
	unnamed := newWorld(t, mcpserver.Options{}).connect(t, "2025-11-25", nil).InitializeResult()
	if unnamed.ServerInfo.Name != "wasmtool" || unnamed.ServerInfo.Version != "unknown" {
		t.Errorf("without options: %+v", unnamed.ServerInfo)
	}
}

// dynamic is a tool that describes itself.
type dynamic struct {
	function
	describe func(ctx context.Context) (tool.Definition, error)
}

func (d dynamic) Describe(ctx context.Context, _ capability.Grant) (tool.Definition, error) {
	return d.describe(ctx)
}

// A list has the descriptions of dynamic tools. A tool that fails keeps its registered description.
func TestListHasDescriptionsOfDynamicTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	for name, err := range map[string]error{"fails": errors.New("gone"), "works": nil} {
		describe := func(context.Context) (tool.Definition, error) { return tool.Definition{Description: "Own words."}, err }
		if err := w.tools.Tools().Register(tool.Spec{Name: name, Description: "Static."}, dynamic{says("x"), describe}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := w.connect(t, "2025-11-25", nil).ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 || list.Tools[0].Description != "Static." || list.Tools[1].Description != "Own words." {
		t.Errorf("got %+v, %v", list, err)
	}
}

// Strict clients refuse an array without one schema for its items. Calls are still checked against
// the schema of the tool.
func TestListGivesEachArrayASchemaForItsItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "a", Parameters: json.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"any":{"type":"array"},"pair":{"type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}}}`)}, says("x"))
	client := w.connect(t, "2025-11-25", nil)
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := json.Marshal(list.Tools[0].InputSchema.(map[string]any)["properties"])
	const want = `{"any":{"items":{},"type":"array"},"pair":{"items":{"anyOf":[{"type":"string"},{"type":"integer"}]},"type":"array"}}`
	if err != nil || string(schema) != want {
		t.Errorf("got %s, %v; want %s", schema, err, want)
	}
	for pair, failed := range map[string]bool{`["a",1]`: false, `[1,"a"]`: true} {
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "a", Arguments: json.RawMessage(`{"pair":` + pair + `}`)})
		if err != nil || result.IsError != failed {
			t.Errorf("%s: got %+v, %v", pair, result, err)
		}
	}
}

// Clients see one name of each parameter, and may send the others.
func TestListLeavesOutAliases(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "a", Parameters: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string","x-aliases":["path"]}},"required":["file_path"]}`)}, says("x"))
	client := w.connect(t, "2025-11-25", nil)
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := json.Marshal(list.Tools[0].InputSchema.(map[string]any)["properties"])
	if want := `{"file_path":{"type":"string"}}`; err != nil || string(schema) != want {
		t.Errorf("got %s, %v; want %s", schema, err, want)
	}
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "a", Arguments: json.RawMessage(`{"path":"b"}`)})
	if err != nil || result.IsError {
		t.Errorf("got %+v, %v", result, err)
	}
}

// slowSource is a source whose tool is there after a wait.
type slowSource struct{ wait time.Duration }

func (s slowSource) Tools(ctx context.Context) ([]tool.Sourced, error) {
	select {
	case <-time.After(s.wait):
		return []tool.Sourced{{Spec: tool.Spec{Name: "late", Description: "A tool for tests."}, Executor: says("late")}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (slowSource) Changed() <-chan struct{} { return nil }
func (slowSource) Close() error             { return nil }

// A source that is still starting does not delay the handshake, and delays the list of tools by two
// seconds at most. Clients are notified when its tools are there.
func TestListDoesNotWaitForHangingSource(t *testing.T) {
	for name, tc := range map[string]struct {
		wait, listed time.Duration
		first        []string
	}{
		"starts soon": {time.Second, time.Second, []string{"late", "ready"}},
		"hangs":       {time.Hour, 2 * time.Second, []string{"ready"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, mcpserver.Options{})
				w.add(t, tool.Spec{Name: "ready"}, says("x"))
				w.tools.Tools().StartSource(slowSource{tc.wait})
				begun, changed := time.Now(), make(chan struct{}, 10)
				client := w.connect(t, "2025-11-25", &mcp.ClientOptions{
					ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
				})
				if took := time.Since(begun); took > time.Second/2 {
					t.Errorf("the handshake took %v", took)
				}
				names := func() (names []string) {
					list, err := client.ListTools(t.Context(), nil)
					if err != nil {
						t.Fatal(err)
					}
					for _, tool := range list.Tools {
						names = append(names, tool.Name)
					}
					return names
				}
				if got := names(); !slices.Equal(got, tc.first) || time.Since(begun) > tc.listed+time.Second/2 {
					t.Errorf("after %v, the list is %q, want %q", time.Since(begun), got, tc.first)
				}
				// The first notification may be about the tool that was there before the client.
				for range changed {
					if slices.Equal(names(), []string{"late", "ready"}) {
						return
					}
				}
			})
		})
	}
}

// A call of a tool whose source is still starting waits for the source.
func TestCallWaitsForStartingSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, mcpserver.Options{})
		w.tools.Tools().StartSource(slowSource{time.Second})
		if got := callText(t, w.connect(t, "2025-11-25", nil), "late", nil); got != "late" {
			t.Errorf("got %q", got)
		}
	})
}
