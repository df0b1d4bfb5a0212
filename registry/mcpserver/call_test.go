package mcpserver_test

//lint:file-ignore SA1019 tests logs, which clients of 2025-11-25 and earlier receive

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wasmtool/wasmtool/registry/mcpserver"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// integers contains integers that a float64 cannot represent.
const integers = `{"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551615}`

// Numbers keep their digits in both directions, as text and as structured values.
func TestIntegersAreExact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	got := make(chan string, 1)
	w.add(t, tool.Spec{Name: "echo", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"c":{"type":"integer"}}}`)},
		func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			got <- string(in.Arguments)
			return tool.Result{Structured: in.Arguments}, nil
		})
	r := w.connectRaw(t)
	r.handshake()
	r.send(`{"jsonrpc":"2.0","id":9007199254740991,"method":"tools/call","params":{"name":"echo","arguments":` + integers + `}}`)
	answer := r.receive()
	if tool := <-got; tool != integers {
		t.Errorf("the tool got %s", tool)
	}
	if string(answer.ID) != "9007199254740991" {
		t.Errorf("the answer has the id %s", answer.ID)
	}
	var result struct {
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(answer.Result, &result); err != nil {
		t.Fatal(err)
	}
	if string(result.StructuredContent) != integers || len(result.Content) != 1 || result.Content[0].Text != integers {
		t.Errorf("got %s", answer.Result)
	}
}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="

func TestResultsOverMCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	picture, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	image := tool.ImageContent(picture, "image/png")
	object := json.RawMessage(`{"type":"object"}`)
	cases := []struct {
		name   string
		schema json.RawMessage
		result tool.Result
		err    error
		// details is Details of the tool.
		details bool
		// The result as JSON, without _meta.
		want string
	}{
		{name: "text", result: tool.Result{Content: []tool.Content{tool.TextContent("hello")}}, want: `{"content":[{"type":"text","text":"hello"}]}`},
		{name: "image", result: tool.Result{Content: []tool.Content{image}}, want: `{"content":[{"type":"image","mimeType":"image/png","data":"` + pixel + `"}]}`},
		{name: "empty", want: `{"content":[]}`},
		{
			name: "structured_as_text", result: tool.Result{Structured: json.RawMessage(`{"n": 1}`), Content: []tool.Content{tool.TextContent("{ \"n\":1 }\n")}},
			want: `{"content":[{"type":"text","text":"{ \"n\":1 }\n"}],"structuredContent":{"n":1}}`,
		},
		{
			name: "structured_with_text", schema: object, result: tool.Result{Structured: json.RawMessage(`{"n":1}`), Content: []tool.Content{tool.TextContent("one")}},
			want: `{"content":[{"type":"text","text":"one"},{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`,
		},
		{
			name: "structured_string_is_text", schema: object, result: tool.Result{Structured: json.RawMessage(`{"result":"a\nb"}`), Content: []tool.Content{tool.TextContent("a\nb")}},
			want: `{"content":[{"type":"text","text":"a\nb"}],"structuredContent":{"result":"a\nb"}}`,
		},
		{
			name: "structured_string_with_other_text", schema: object, result: tool.Result{Structured: json.RawMessage(`{"result":"a"}`), Content: []tool.Content{tool.TextContent("b")}},
			want: `{"content":[{"type":"text","text":"b"},{"type":"text","text":"{\"result\":\"a\"}"}],"structuredContent":{"result":"a"}}`,
		},
		{
			name: "structured_string_and_more", schema: object, result: tool.Result{Structured: json.RawMessage(`{"result":"a","n":1}`), Content: []tool.Content{tool.TextContent("a")}},
			want: `{"content":[{"type":"text","text":"a"},{"type":"text","text":"{\"result\":\"a\",\"n\":1}"}],"structuredContent":{"result":"a","n":1}}`,
		},
		{
			name: "structured_with_image", result: tool.Result{Structured: json.RawMessage(`{"n":1}`), Content: []tool.Content{image}},
			want: `{"content":[{"type":"image","mimeType":"image/png","data":"` + pixel + `"},{"type":"text","text":"{\"n\":1}"}]}`,
		},
		{
			name: "declared_with_image", schema: object, result: tool.Result{Structured: json.RawMessage(`{"n":1}`), Content: []tool.Content{image}},
			want: `{"content":[{"type":"image","mimeType":"image/png","data":"` + pixel + `"},{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`,
		},
		{
			name: "structured_has_image", schema: object,
			result: tool.Result{Structured: json.RawMessage(`{"n":1,"data":"` + pixel + `"}`), Content: []tool.Content{image}},
			want: `{"content":[{"type":"image","mimeType":"image/png","data":"` + pixel + `"},{"type":"text","text":"{\"n\":1,\"data\":\"(see the block of the type image)\"}"}],` +
				`"structuredContent":{"n":1,"data":"` + pixel + `"}}`,
		},
		{
			name: "structured_has_blob", result: tool.Result{
				Structured: json.RawMessage(`{"blob":"` + pixel + `"}`), Content: []tool.Content{tool.ResourceContent(tool.Resource{URI: "test://a", Blob: picture})},
			},
			want: `{"content":[{"type":"resource","resource":{"uri":"test://a","blob":"` + pixel + `"}},{"type":"text","text":"{\"blob\":\"(see the block of the type resource)\"}"}]}`,
		},
		{
			name: "details", schema: object, details: true, result: tool.Result{Structured: json.RawMessage(`{"n":1}`), Content: []tool.Content{tool.TextContent("one"), image}},
			want: `{"content":[{"type":"text","text":"one"},{"type":"image","mimeType":"image/png","data":"` + pixel + `"}]}`,
		},
		{
			name: "details_alone", schema: object, details: true, result: tool.Result{Structured: json.RawMessage(`{"n":1}`)},
			want: `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`,
		},
		{
			name: "resources", result: tool.Result{
				Content:     []tool.Content{tool.ResourceContent(tool.Resource{URI: "test://a", MIMEType: "text/plain", Text: "a"}), tool.LinkContent(tool.Resource{URI: "test://b", Name: "b", Size: 3})},
				Attachments: []tool.Content{image},
			},
			want: `{"content":[{"type":"resource","resource":{"uri":"test://a","mimeType":"text/plain","text":"a"}},{"type":"resource_link","uri":"test://b","name":"b","size":3},` +
				`{"type":"image","mimeType":"image/png","data":"` + pixel + `","annotations":{"audience":["user"]}}]}`,
		},
		{name: "structured_list", result: tool.Result{Structured: json.RawMessage(`[1]`)}, want: `{"content":[{"type":"text","text":"[1]"}]}`},
		{
			name: "failed", schema: object, result: tool.Result{Structured: json.RawMessage(`{"n":1}`), Content: []tool.Content{tool.TextContent("no such issue")}},
			err:  &tool.Error{Code: tool.CodeExecution, Message: "no such issue"},
			want: `{"content":[{"type":"text","text":"no such issue"}],"isError":true}`,
		},
		{
			name: "missing_structured", schema: object, result: tool.Result{Content: []tool.Content{tool.TextContent("x")}},
			want: `{"content":[{"type":"text","text":"missing_structured: the tool declares a result schema but returned no structured result"}],"isError":true}`,
		},
	}
	for _, c := range cases {
		w.add(t, tool.Spec{Name: c.name, Result: c.schema, Details: c.details}, func(context.Context, tool.Invocation) (tool.Result, error) { return c.result, c.err })
	}
	r := w.connectRaw(t)
	r.handshake()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + c.name + `"}}`)
			if got := withoutMeta(t, r.receive().Result); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Details reach programs in _meta, with their digits and their schema, and not as an output schema.
func TestDetailsOverMCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)
	result := tool.Result{Structured: json.RawMessage(integers), Content: []tool.Content{tool.TextContent("three")}, Title: "Three", Metadata: map[string]any{"n": 3}}
	run := func(context.Context, tool.Invocation) (tool.Result, error) { return result, nil }
	w.add(t, tool.Spec{Name: "typed", Result: schema, Details: true}, run)
	w.add(t, tool.Spec{Name: "untyped", Details: true}, run)
	r := w.connectRaw(t)
	r.handshake()
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema json.RawMessage
			Meta         map[string]json.RawMessage `json:"_meta"`
		}
	}
	if err := json.Unmarshal(r.receive().Result, &list); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"typed": string(schema), "untyped": "{}"}
	for _, listed := range list.Tools {
		if got := string(listed.Meta["io.github.wasmtool/result"]); got != want[listed.Name] || listed.OutputSchema != nil {
			t.Errorf("%s has the schema %s and the output schema %s", listed.Name, got, listed.OutputSchema)
		}
		r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + listed.Name + `"}}`)
		var answer struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		if err := json.Unmarshal(r.receive().Result, &answer); err != nil {
			t.Fatal(err)
		}
		meta := answer.Meta
		if string(meta["io.github.wasmtool/structured"]) != integers || string(meta["io.github.wasmtool/title"]) != `"Three"` || string(meta["io.github.wasmtool/metadata"]) != `{"n":3}` {
			t.Errorf("%s: got %s", listed.Name, meta)
		}
	}
	if len(list.Tools) != 2 {
		t.Errorf("got %d tools", len(list.Tools))
	}
}

// withoutMeta returns a result without _meta.
func withoutMeta(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var fields struct {
		Content           json.RawMessage `json:"content"`
		StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
		IsError           bool            `json:"isError,omitempty"`
	}
	if err := json.Unmarshal(result, &fields); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fields); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(text.String())
}

func TestFailedCallsOverMCP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "typed", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}, says("ran"))
	w.add(t, tool.Spec{Name: "panics"}, func(context.Context, tool.Invocation) (tool.Result, error) { panic("a fault") })
	w.add(t, tool.Spec{Name: "reads_files", Sandboxed: true, Permissions: reads()}, says("ran"))
	w.add(t, tool.Spec{Name: "removed"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		// as when a call overlaps with its removal
		return tool.Result{}, &tool.Error{Code: tool.CodeNotFound, Message: "the tool is gone"}
	})
	for _, revision := range revisions {
		session := w.connect(t, revision, nil)
		for _, c := range []struct {
			tool, arguments string
			code            tool.Code
			text            string
		}{
			{"typed", `{}`, tool.CodeInvalidArgument, "n"},
			{"typed", `[1]`, tool.CodeInvalidArgument, "object"},
			{"typed", `"n"`, tool.CodeInvalidArgument, "object"},
			{"typed", `{"n":1.5}`, tool.CodeInvalidArgument, "integer"},
			{"panics", `{}`, tool.CodeInternal, "failed inside wasmtool"},
			{"reads_files", `{}`, tool.CodePermissionDenied, "read:workspace"},
		} {
			result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
			if err != nil {
				t.Errorf("%s: %s %s: %v", revision, c.tool, c.arguments, err)
				continue
			}
			if !result.IsError || !strings.Contains(textOf(result), c.text) || result.Meta["io.github.wasmtool/code"] != string(c.code) {
				t.Errorf("%s: %s %s: got %q %v", revision, c.tool, c.arguments, textOf(result), result.Meta)
			}
		}
		for _, name := range []string{"no_such", "removed"} {
			var wire *jsonrpc.Error
			if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name}); !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: the tool %s gives %v, want the code -32602", revision, name, err)
			}
		}
	}
}

// The result of a failed call also has metadata for programs, such as the exit status.
func TestFailedCallHasMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "fails"}, func(context.Context, tool.Invocation) (tool.Result, error) {
		result := tool.Result{Content: []tool.Content{tool.TextContent("exit status 2")}, Title: "make: exit status 2", Metadata: map[string]any{"exit_code": 2}}
		return result, &tool.Error{Code: tool.CodeExecution, Message: "the tool reports a failure"}
	})
	for _, revision := range revisions {
		result, err := w.connect(t, revision, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "fails"})
		if err != nil {
			t.Fatal(err)
		}
		metadata, _ := result.Meta["io.github.wasmtool/metadata"].(map[string]any)
		if !result.IsError || metadata["exit_code"] != 2.0 || result.Meta["io.github.wasmtool/title"] != "make: exit status 2" {
			t.Errorf("%s: got %v", revision, result.Meta)
		}
	}
}

// A model sees which of its arguments were ignored.
func TestWarningsReachTheModel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	w.add(t, tool.Spec{Name: "page", Parameters: json.RawMessage(`{"type":"object","properties":{"continue":{"type":"string"}}}`)}, says("page 1"))
	session := w.connect(t, "2025-11-25", nil)
	if got := callText(t, session, "page", map[string]any{"cursor": "2"}); !strings.Contains(got, "page 1") || !strings.Contains(got, "cursor") {
		t.Errorf("got %q", got)
	}
}

func TestProgressAndLogs(t *testing.T) {
	t.Parallel()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var operator []string
			w := newWorld(t, mcpserver.Options{OnLog: func(name string, level slog.Level, text string) {
				mu.Lock()
				defer mu.Unlock()
				operator = append(operator, name+" "+level.String()+" "+text)
			}})
			w.add(t, tool.Spec{Name: "works"}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
				in.Call.OnLog(slog.LevelDebug, "a detail")
				in.Call.OnLog(slog.LevelWarn, "a warning")
				in.Call.OnProgress(1, 4, "one")
				in.Call.OnProgress(1, 4, "one again")
				in.Call.OnProgress(4, 4, "done")
				return tool.Result{Content: []tool.Content{tool.TextContent("ok")}}, nil
			})
			received := make(chan string, 100)
			session := w.connect(t, revision, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
					received <- "progress " + r.Params.Message
				},
				LoggingMessageHandler: func(_ context.Context, r *mcp.LoggingMessageRequest) {
					received <- string(r.Params.Level) + " " + r.Params.Data.(string)
				},
			})
			params := &mcp.CallToolParams{Name: "works", Meta: mcp.Meta{}}
			if revision >= "2026-07-28" {
				params.Meta[mcp.MetaKeyLogLevel] = "info"
			} else if err := session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
				t.Fatal(err)
			}
			params.SetProgressToken("p1")
			if _, err := session.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			got := []string{<-received, <-received, <-received}
			slices.Sort(got)
			if want := []string{"progress done", "progress one", "warning a warning"}; !slices.Equal(got, want) {
				t.Errorf("the client received %q, want %q", got, want)
			}
			mu.Lock()
			defer mu.Unlock()
			if want := []string{"works DEBUG a detail", "works WARN a warning"}; !slices.Equal(operator, want) {
				t.Errorf("the operator received %q, want %q", operator, want)
			}
		})
	}
}

// Notifications of a tool are limited, and the last progress always arrives.
func TestNotificationsAreRateLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	const steps = 2000
	w.add(t, tool.Spec{Name: "floods"}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		for i := range steps {
			in.Call.OnProgress(float64(i+1), steps, "")
			in.Call.OnLog(slog.LevelError, "again")
		}
		return tool.Result{}, nil
	})
	r := w.connectRaw(t)
	r.handshake()
	r.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`)
	r.receive()
	r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"floods","_meta":{"progressToken":7}}}`)
	received, last := 0, ""
	for {
		m := r.receive()
		if m.Method == "" {
			break
		}
		if received++; m.Method == "notifications/progress" {
			last = string(m.Params)
		}
	}
	if received > steps/2 || received < 50 {
		t.Errorf("the client received %d of %d messages", received, 2*steps)
	}
	if !strings.Contains(last, `"progress":2000`) {
		t.Errorf("the last progress was %s", last)
	}
}

// A client that does not read does not block the tool, and receives the messages later.
func TestSlowClientDoesNotBlockTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, mcpserver.Options{})
		over := false
		w.add(t, tool.Spec{Name: "tells"}, func(_ context.Context, in tool.Invocation) (tool.Result, error) {
			for i := range 5 {
				in.Call.OnLog(slog.LevelError, "again")
				in.Call.OnProgress(float64(i+1), 5, "")
			}
			over = true
			return tool.Result{}, nil
		})
		r := w.connectRaw(t)
		r.handshake()
		r.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`)
		r.receive()
		r.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tells","_meta":{"progressToken":7}}}`)
		synctest.Wait()
		if !over {
			t.Error("the tool waits for its client")
		}
		received := 0
		for r.receive().Method != "" {
			received++
		}
		if received != 10 {
			t.Errorf("the client received %d messages, want 10", received)
		}
		r.in.Close()
		if err := <-r.done; err != nil {
			t.Error(err)
		}
	})
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, mcpserver.Options{})
	started, ended := make(chan struct{}), make(chan error, 1)
	w.add(t, tool.Spec{Name: "waits"}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		started <- struct{}{}
		<-ctx.Done()
		ended <- ctx.Err()
		return tool.Result{}, &tool.Error{Code: tool.CodeCancelled, Message: "stopped"}
	})
	r := w.connectRaw(t)
	r.handshake()
	r.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"waits"}}`)
	<-started
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"changed my mind"}}`)
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	// A cancelled request gets no response, so the next response is for another request.
	r.send(`{"jsonrpc":"2.0","id":"b","method":"ping"}`)
	if got := r.receive(); string(got.ID) != `"b"` {
		t.Errorf("got an answer to %s", got.ID)
	}
	// The id of the cancellation only looks like the id of the call, so it has no effect.
	r.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits"}}`)
	<-started
	for _, id := range []string{`7.5`, `"7"`, `null`, `[7]`} {
		r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
		if id != `"7"` {
			r.receive() // skips the error about the id
		}
	}
	r.send(`{"jsonrpc":"2.0","id":"c","method":"ping"}`)
	r.receive()
	select {
	case <-ended:
		t.Error("the call was cancelled under another id")
	default:
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	<-ended
}
