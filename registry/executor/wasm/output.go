package wasm

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/wasmtool/wasmtool/internal/jsontree"
	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/executor/internal/mcpresult"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// parseOutput converts output into a Result in the way that the manifest says.
func parseOutput(kind manifests.Output, stdout []byte) (tool.Result, error) {
	if at := invalidUTF8(stdout); at >= 0 {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the output is not valid UTF-8 (byte %d)", at)
	}
	if kind == manifests.OutputText {
		return tool.Result{Content: []tool.Content{tool.TextContent(string(stdout))}}, nil
	}
	if kind == manifests.OutputJSON {
		if _, err := jsontree.Parse(stdout, jsontree.Document("the document")); err != nil {
			return tool.Result{}, notJSON(err)
		}
		value := json.RawMessage(bytes.TrimSpace(stdout))
		return tool.Result{Content: []tool.Content{tool.TextContent(string(stdout))}, Structured: value}, nil
	}
	return parseResult(stdout)
}

// parseResult reads output that is a complete Result in JSON.
func parseResult(stdout []byte) (tool.Result, error) {
	if len(stdout) == 0 {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the tool ended without a result")
	}
	result, err := tool.ParseResult(stdout)
	if invalid := (*jsontree.Error)(nil); errors.As(err, &invalid) {
		return tool.Result{}, notJSON(err)
	}
	if err != nil {
		return tool.Result{}, tool.Errorf(tool.CodeInvalidOutput, "the output is not a result: %v", err)
	}
	if result.IsError {
		return result, mcpresult.Failure(result)
	}
	return result, nil
}

func notJSON(err error) error {
	return tool.Errorf(tool.CodeInvalidOutput, "the output is not the JSON that the manifest declares: %v", err)
}

// invalidUTF8 returns the offset of the first byte that is not valid UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) { // much faster than the loop
		return -1
	}
	for i, r := range string(b) {
		if r == utf8.RuneError && !bytes.HasPrefix(b[i:], []byte("\uFFFD")) {
			return i
		}
	}
	return -1
}
