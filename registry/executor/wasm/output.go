package wasm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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
		return tool.Result{Content: []tool.Content{tool.TextContent(string(stdout))}, Structured: value}, nil
	}
	return parseResult(stdout)
}

// wireContent is a content block in the JSON of a command whose output is "result".
type wireContent struct {
	Type     tool.ContentType `json:"type"`
	Text     *string          `json:"text"`
	Data     []byte           `json:"data"`
	MIMEType string           `json:"mimeType"`
}

// parseResult reads a whole Result. A field that it does not know is a fault, so
// that a slip does not lose half an answer.
func parseResult(stdout []byte) (tool.Result, error) {
	fields, err := object(stdout, "content", "structured", "is_error")
	if err != nil {
		return tool.Result{}, invalidOutput("the output is no result: %v", err)
	}
	var blocks []json.RawMessage
	var isError bool
	if err := errors.Join(field(fields, "content", &blocks), field(fields, "is_error", &isError)); err != nil {
		return tool.Result{}, invalidOutput("the output is no result: %v", err)
	}
	var result tool.Result
	if structured := fields["structured"]; !bytes.Equal(structured, []byte("null")) {
		result.Structured = structured
	}
	if blocks == nil && result.Structured == nil {
		return tool.Result{}, invalidOutput("the output is no result: it has neither content nor structured")
	}
	for i, raw := range blocks {
		block, err := parseContent(raw)
		if err != nil {
			return tool.Result{}, invalidOutput("content[%d]: %v", i, err)
		}
		result.Content = append(result.Content, block)
	}
	if len(result.Content) == 0 {
		// A reader of text alone must see the whole answer too.
		result.Content = []tool.Content{tool.TextContent(string(result.Structured))}
	}
	if isError {
		return result, &tool.Error{Code: tool.CodeExecution, Message: "the tool reports a failure: " + firstLine(result.Text()), Recoverable: true}
	}
	return result, nil
}

func parseContent(raw json.RawMessage) (tool.Content, error) {
	fields, err := object(raw, "type", "text", "data", "mimeType")
	if err != nil {
		return tool.Content{}, err
	}
	var b wireContent
	err = errors.Join(field(fields, "type", &b.Type), field(fields, "text", &b.Text), field(fields, "data", &b.Data), field(fields, "mimeType", &b.MIMEType))
	if err != nil {
		return tool.Content{}, err
	}
	return b.content()
}

// object splits a JSON object into its fields. Names are exact, which the decoder
// of structs would not insist on.
func object(raw []byte, known ...string) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, errors.New("it is no JSON object")
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("unknown field %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return fields, nil
}

// field decodes one field when it is there.
func field(fields map[string]json.RawMessage, name string, into any) error {
	raw, ok := fields[name]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s does not hold what it should", name)
	}
	return nil
}

func (b wireContent) content() (tool.Content, error) {
	switch b.Type {
	case tool.ContentText:
		if b.Text == nil {
			return tool.Content{}, errors.New("a text block needs text")
		}
		return tool.TextContent(*b.Text), nil
	case tool.ContentImage:
		if len(b.Data) == 0 || !strings.HasPrefix(b.MIMEType, "image/") {
			return tool.Content{}, errors.New("an image block needs data in base64 and a mimeType that starts with image/")
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
