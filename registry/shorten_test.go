package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestOnlyLongTextsAreShortened(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	structured := json.RawMessage(`{"text":"` + strings.Repeat("y", 500) + `"}`)
	given := tool.Result{
		Content: []tool.Content{
			tool.TextContent("short"), tool.TextContent(strings.Repeat("x", 500)), tool.ImageContent(picture.Bytes(), "image/png"),
		},
		Structured: structured, Metadata: map[string]any{"own": 1},
	}
	f := &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) { return given, nil }}
	spec := tool.Spec{Name: "x"}
	r := withTool(t, Options{Calls: ledger.Options{MaxText: 100}}, spec, f)
	got, err := r.Execute(context.Background(), tool.Call{Tool: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if got.Content[0].Text != "short" || !bytes.Equal(got.Content[2].Data, picture.Bytes()) || !bytes.Equal(got.Structured, structured) {
		t.Errorf("more than the long text was changed: %+v", got)
	}
	if text := got.Content[1].Text; len(text) > 200 || !strings.Contains(text, "405 of 500 bytes, 0 lines, are left out here; ask for less") {
		t.Errorf("got %q", text)
	}
	if got.Metadata[tool.MetaTruncated] != true || got.Metadata[tool.MetaOmittedBytes] != 405 || got.Metadata["own"] != 1 {
		t.Errorf("metadata: %v", got.Metadata)
	}
	if len(given.Metadata) != 1 || len(given.Content[1].Text) != 500 {
		t.Error("the executor's own result was changed")
	}

	for name, limit := range map[string]int{"no limit": 0, "a limit that is not reached": 505} {
		r := withTool(t, Options{Calls: ledger.Options{MaxText: limit}}, spec, f)
		if got, err := r.Execute(context.Background(), tool.Call{Tool: "x"}); err != nil || got.Content[1].Text != given.Content[1].Text || len(got.Metadata) != 1 {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestFailuresAreShortenedAndChecked(t *testing.T) {
	f := &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
		return tool.Result{}, &tool.Error{Code: tool.CodeExecution, Message: strings.Repeat("x", 5000)}
	}}
	r := withTool(t, Options{Calls: ledger.Options{MaxText: 100}}, tool.Spec{Name: "x"}, f)
	result, err := r.Execute(context.Background(), tool.Call{Tool: "x"})
	wantCode(t, err, tool.CodeExecution)
	if !result.IsError || len(result.Text()) > 300 {
		t.Errorf("the model reads %d bytes", len(result.Text()))
	}
	f.execute = func(context.Context, tool.Invocation) (tool.Result, error) {
		half := tool.Result{Content: []tool.Content{tool.ImageContent([]byte("half"), "image/png")}, Attachments: []tool.Content{{}}}
		return half, errors.Join(&tool.Error{Code: tool.CodeExecution, Message: "no luck"})
	}
	result, err = r.Execute(context.Background(), tool.Call{Tool: "x"})
	wantCode(t, err, tool.CodeExecution)
	if result.Text() != "x: no luck" || len(result.Content) != 1 || result.Attachments != nil {
		t.Errorf("got %+v", result)
	}
}
