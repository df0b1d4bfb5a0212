package wasm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/jsonschema"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// parseOutput turns what a command printed into a Result, as its manifest says.
func parseOutput(kind manifests.Output, stdout []byte) (tool.Result, error) {
	if at := invalidUTF8(stdout); at >= 0 {
		return tool.Result{}, invalidOutput("the output is not valid UTF-8 (byte %d)", at)
	}
	if kind == manifests.OutputText {
		return tool.Result{Content: []tool.Content{tool.TextContent(string(stdout))}}, nil
	}
	if err := jsonschema.ParseStrict(stdout); err != nil {
		return tool.Result{}, invalidOutput("the output is not the JSON that the manifest promises: %v", err)
	}
	if kind == manifests.OutputJSON {
		value := json.RawMessage(bytes.TrimSpace(stdout))
		return tool.Result{Content: []tool.Content{tool.TextContent(string(value))}, Structured: value}, nil
	}
	return parseResult(stdout)
}

// wireResult is the JSON of a command whose output is "result".
type wireResult struct {
	Content    []wireContent   `json:"content"`
	Structured json.RawMessage `json:"structured"`
	IsError    bool            `json:"is_error"`
}

type wireContent struct {
	Type     tool.ContentType `json:"type"`
	Text     *string          `json:"text"`
	Data     []byte           `json:"data"`
	MIMEType string           `json:"mimeType"`
}

// parseResult reads a whole Result. A field that it does not know is a fault, so
// that a slip does not lose half an answer.
func parseResult(stdout []byte) (tool.Result, error) {
	decoder := json.NewDecoder(bytes.NewReader(stdout))
	decoder.DisallowUnknownFields()
	var wire wireResult
	if err := decoder.Decode(&wire); err != nil {
		return tool.Result{}, invalidOutput("the output is no result: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if wire.Content == nil && wire.Structured == nil {
		return tool.Result{}, invalidOutput("the output is no result: it has neither content nor structured")
	}
	result := tool.Result{Structured: wire.Structured}
	if bytes.Equal(wire.Structured, []byte("null")) {
		result.Structured = nil
	}
	for i, block := range wire.Content {
		content, err := block.content()
		if err != nil {
			return tool.Result{}, invalidOutput("content[%d]: %v", i, err)
		}
		result.Content = append(result.Content, content)
	}
	if len(result.Content) == 0 {
		// A reader of text alone must see the whole answer too.
		result.Content = []tool.Content{tool.TextContent(string(result.Structured))}
	}
	if wire.IsError {
		return result, &tool.Error{Code: tool.CodeExecution, Message: "the tool reports a failure: " + firstLine(result.Text()), Recoverable: true}
	}
	return result, nil
}

func (b wireContent) content() (tool.Content, error) {
	switch b.Type {
	case tool.ContentText:
		if b.Text == nil {
			return tool.Content{}, fmt.Errorf("a text block needs text")
		}
		return tool.TextContent(*b.Text), nil
	case tool.ContentImage:
		if len(b.Data) == 0 || !strings.HasPrefix(b.MIMEType, "image/") {
			return tool.Content{}, fmt.Errorf("an image block needs data in base64 and a mimeType that starts with image/")
		}
		return tool.Content{Type: b.Type, Data: b.Data, MIMEType: b.MIMEType}, nil
	}
	return tool.Content{}, fmt.Errorf("the type %q is none of text and image", b.Type)
}

func invalidOutput(format string, args ...any) error {
	return &tool.Error{Code: tool.CodeInvalidOutput, Message: fmt.Sprintf(format, args...)}
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8, or -1.
func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
