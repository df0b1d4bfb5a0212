package standard_test

import (
	"context"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// The options of a tool in the operator's file apply to a tool of the program.
func TestOptionsOfToolsInTheFile(t *testing.T) {
	attempts := func(t *testing.T, text string) int {
		file, err := config.Decode(config.File{Name: config.FileName}, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := standard.New(standard.Options{Config: file, Sources: standard.Sources{NoBuiltins: true}, NoCache: true, StateDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer tools.Close()
		ran := 0
		spec, executor, err := native.Raw(native.Options{Spec: tool.Spec{Name: "flaky", Description: "Fails."}}, func(context.Context, tool.Invocation) (tool.Result, error) {
			ran++
			return tool.Result{}, &tool.Error{Code: tool.CodeServer, Message: "no luck"}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := tools.Tools().Register(spec, executor); err != nil {
			t.Fatal(err)
		}
		if _, err := tools.Execute(t.Context(), tool.Call{Tool: "flaky", Retries: 2, RetryDelay: time.Microsecond}); tool.CodeOf(err) != tool.CodeServer {
			t.Error(err)
		}
		return ran
	}
	for text, want := range map[string]int{
		"[tools.flaky]\nretry = true\n":  3,
		"[tools.flaky]\nretry = false\n": 1,
		"[tools.other]\nretry = true\n":  1,
	} {
		if got := attempts(t, text); got != want {
			t.Errorf("%q: %d attempts, want %d", text, got, want)
		}
	}
}
