package wasm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wasmtool/wasmtool/manifests"
	"github.com/wasmtool/wasmtool/registry/executor/internal/mcpresult"
	"github.com/wasmtool/wasmtool/registry/tool"
)

func TestParseOutput(t *testing.T) {
	tests := []struct {
		name       string
		kind       manifests.Output
		stdout     string
		text       string
		structured string
		code       tool.Code
		says       string
	}{
		{"text unchanged", manifests.OutputText, " a\n{}\x00\n", " a\n{}\x00\n", "", "", ""},
		{"empty text", manifests.OutputText, "", "", "", "", ""},
		{"text that is not UTF-8", manifests.OutputText, "ab\xff", "", "", tool.CodeInvalidOutput, "byte 2"},
		{"an incomplete character", manifests.OutputText, "ab\xe2\x82", "", "", tool.CodeInvalidOutput, "byte 2"},
		{"JSON with exact numbers", manifests.OutputJSON, " {\"n\":9007199254740993,\"f\":1.10}\n", " {\"n\":9007199254740993,\"f\":1.10}\n", `{"n":9007199254740993,"f":1.10}`, "", ""},
		{"any JSON value", manifests.OutputJSON, "[1]", "[1]", "[1]", "", ""},
		{"no JSON", manifests.OutputJSON, "", "", "", tool.CodeInvalidOutput, "JSON"},
		{"two JSON values", manifests.OutputJSON, "{}{}", "", "", tool.CodeInvalidOutput, "JSON"},
		{"a log line before the JSON", manifests.OutputJSON, "hi\n{}", "", "", tool.CodeInvalidOutput, "JSON"},
		{"a number that is not JSON", manifests.OutputJSON, "NaN", "", "", tool.CodeInvalidOutput, "JSON"},
		{"a key twice", manifests.OutputJSON, `{"a":1,"a":2}`, "", "", tool.CodeInvalidOutput, "JSON"},
		{"a whole result", manifests.OutputResult, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structured":{"n":1.0}}`, "a\nb", `{"n":1.0}`, "", ""},
		{"a structured result without text", manifests.OutputResult, `{"structured":[1]}`, "[1]", "[1]", "", ""},
		{"an empty result", manifests.OutputResult, `{}`, "", "", tool.CodeInvalidOutput, "neither"},
		{"a result that fails", manifests.OutputResult, `{"content":[{"type":"text","text":"no luck\nat all"}],"is_error":true}`, "no luck\nat all", "", tool.CodeExecution, "no luck"},
		{"a long failure", manifests.OutputResult, `{"content":[{"type":"text","text":"` + strings.Repeat("x", 1<<20) + `"}],"is_error":true}`, strings.Repeat("x", 1<<20), "", tool.CodeExecution, "xxx"},
		{"a misspelt field", manifests.OutputResult, `{"contents":[]}`, "", "", tool.CodeInvalidOutput, "contents"},
		{"a field in capitals", manifests.OutputResult, `{"Content":[]}`, "", "", tool.CodeInvalidOutput, "Content"},
		{"a block of unknown type", manifests.OutputResult, `{"content":[{"type":"video"}]}`, "", "", tool.CodeInvalidOutput, "content[0]"},
		{"a text block without text", manifests.OutputResult, `{"content":[{"type":"text"}]}`, "", "", tool.CodeInvalidOutput, "needs text"},
		{"an image without a type", manifests.OutputResult, `{"content":[{"type":"image","data":"aGk="}]}`, "", "", tool.CodeInvalidOutput, "mimeType"},
		{"an image that is not base64", manifests.OutputResult, `{"content":[{"type":"image","data":"###","mimeType":"image/png"}]}`, "", "", tool.CodeInvalidOutput, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := parseOutput(tt.kind, []byte(tt.stdout))
			if got := tool.CodeOf(err); got != tt.code {
				t.Fatalf("got %v, want the code %q", err, tt.code)
			}
			if err != nil && (!strings.Contains(err.Error(), tt.says) || len(err.Error()) > 2*mcpresult.MaxWords) {
				t.Errorf("%.100q does not say %q, or has %d bytes", err.Error(), tt.says, len(err.Error()))
			}
			if result.Text() != tt.text || string(result.Structured) != tt.structured {
				t.Errorf("got %q and %s, want %q and %s", result.Text(), result.Structured, tt.text, tt.structured)
			}
		})
	}
}

func FuzzParseOutput(f *testing.F) {
	for _, seed := range []string{"", "text", `{"content":[{"type":"text","text":"a"}]}`, `{"structured":{"n":1e400}}`, "\xff", `{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		for _, kind := range []manifests.Output{manifests.OutputText, manifests.OutputJSON, manifests.OutputResult} {
			result, err := parseOutput(kind, stdout)
			if err != nil {
				if code := tool.CodeOf(err); code != tool.CodeInvalidOutput && code != tool.CodeExecution {
					t.Fatalf("%v: %v", kind, err)
				}
				continue
			}
			if _, err := json.Marshal(result); err != nil {
				t.Fatalf("%v: a result that cannot be sent: %v", kind, err)
			}
		}
	})
}
