package cli

import (
	"testing"

	"github.com/wasmtool/wasmtool/registry/tool"
)

// The output of a failed script is shown. If the error contains the output, it is not shown twice.
func TestSaysMore(t *testing.T) {
	failed := func(code tool.Code, message string) error { return &tool.Error{Code: code, Message: message} }
	for name, test := range map[string]struct {
		text string
		err  error
		want bool
	}{
		"output of a script": {"begun\nexit status 3\n", failed(tool.CodeExecution, "the tool reports a failure: begun"), true},
		"one line":           {"no luck\n", failed(tool.CodeExecution, "the tool reports a failure: no luck"), false},
		"nothing":            {"", failed(tool.CodeExecution, "the tool failed"), false},
		"another code":       {"text", failed(tool.CodeTimeout, "too late"), false},
		"no error at all":    {"text", nil, false},
	} {
		result := tool.Result{Content: []tool.Content{tool.TextContent(test.text)}}
		if got := saysMore(result, test.err); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
