package standard_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/llm"
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

// Calls of a tool that the operator declared to only read run concurrently, also when a model asks
// for them. A declaration approves nothing.
func TestReadOnlyToolsOfTheFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file, err := config.Decode(config.File{Name: config.FileName}, []byte("[tools.slow]\nread_only = true\nauto_execute = true\n[tools.asked]\nread_only = true\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		tools := registry.New(registry.Options{})
		defer tools.Close()
		// The tools are dangerous, as all tools of MCP servers are.
		for _, name := range []string{"slow", "other", "asked"} {
			spec, executor, err := native.Raw(native.Options{Spec: tool.Spec{Name: name, Description: "Waits.", Dangerous: name != "other"}}, func(context.Context, tool.Invocation) (tool.Result, error) {
				<-time.After(time.Second)
				return tool.Result{}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := tools.Tools().Register(spec, executor); err != nil {
				t.Fatal(err)
			}
		}
		rules, err := standard.Rules(standard.Options{Config: file}, tools)
		if err != nil {
			t.Fatal(err)
		}
		tools.SetRules(rules)
		defined, err := llm.New(llm.Anthropic, tools.Tools().List(catalogue.Filter{}), llm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]time.Duration{"slow": time.Second, "other": 3 * time.Second} {
			start := time.Now()
			for _, o := range tools.ExecuteAll(t.Context(), []tool.Call{{Tool: name}, {Tool: name}, {Tool: name}}) {
				if o.Err != nil {
					t.Error(o.Err)
				}
			}
			if took := time.Since(start); took != want {
				t.Errorf("ExecuteAll of %s took %v, want %v", name, took, want)
			}
			start = time.Now()
			defined.Run([]llm.Call{{Name: name}, {Name: name}, {Name: name}}, func(int) tool.Result {
				result, _ := tools.Execute(t.Context(), tool.Call{Tool: name})
				return result
			})
			if took := time.Since(start); took != want {
				t.Errorf("Run of %s took %v, want %v", name, took, want)
			}
		}
		if _, err := tools.Execute(t.Context(), tool.Call{Tool: "asked"}); tool.CodeOf(err) != tool.CodeApprovalRequired {
			t.Errorf("without an approval: %v", err)
		}
	})
}

// A tool that the operator made strict refuses undeclared arguments.
func TestStrictToolsOfTheFile(t *testing.T) {
	for text, want := range map[string]tool.Code{
		"[tools.calculator]\nstrict = true\n":  tool.CodeInvalidArgument,
		"[tools.calculator]\nstrict = false\n": "",
	} {
		file, err := config.Decode(config.File{Name: config.FileName}, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := standard.New(standard.Options{Config: file, NoCache: true, StateDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer tools.Close()
		if _, _, err := tools.Validate("calculator", json.RawMessage(`{"expression":"1+1","explanation":"x"}`)); tool.CodeOf(err) != want {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
