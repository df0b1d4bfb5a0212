package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/secret"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/hosttools"
	"github.com/wasmtool/wasmtool/registry/executor/process"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/schedule"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// The program of docs/embedding.md.
func Example_embedding() {
	tools, err := standard.New(standard.Options{Workspace: "testdata"})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	result, err := tools.Execute(context.Background(), tool.Call{
		Tool: "grep", Arguments: json.RawMessage(`{"pattern": "func main"}`),
	})
	fmt.Println(result.Text(), err)
	// Output:
	// hello.go.txt:3:func main() {}
	//  <nil>
}

// A program runs itself as the child process that compiles modules.
func Example_compiler() {
	compiler := runtime.SelfCompiler()
	tools, err := standard.New(standard.Options{Workspace: ".", Runtime: runtime.Options{CompileCommand: compiler}})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	fmt.Println(len(catalogue.Definitions(tools.Tools().List(catalogue.Filter{}))) > 0)
	// Output: true
}

// A tool that the program implements, and the tool that asks a person.
func Example_hostTools() {
	people, approver := answers("blue"), registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		return registry.Answer{Yes: q.Tool.Name == "message"}, nil
	})
	send := func(ctx context.Context, call tool.Invocation) (tool.Result, error) {
		to, _ := call.Text("to")
		return tool.TextResult("sent to "+to, nil)
	}
	tools, err := standard.New(standard.Options{
		Host: standard.Host{
			Backends: map[string]hosttools.Backend{"message": send},
			Jobs:     &process.Options{},
			Asker:    people,
		},
		Registry: registry.Options{Approvals: registry.ApprovalOptions{Approver: approver}},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	for _, call := range []tool.Call{
		{Tool: "message", Arguments: json.RawMessage(`{"to": "ann", "text": "hello"}`)},
		{Tool: "question", Arguments: json.RawMessage(`{"question": "Which colour?"}`)},
	} {
		result, err := tools.Execute(context.Background(), call)
		fmt.Println(result.Text(), err)
	}
	// Output:
	// sent to ann <nil>
	// The user says: blue <nil>
}

// answers is a person who always gives the same answer.
type answers string

func (a answers) Inquire(context.Context, tool.Inquiry) (tool.Reply, error) {
	return tool.Reply{Status: tool.ReplyAnswered, Text: string(a)}, nil
}

// Several calls from one message of a model; independent ones run concurrently.
func Example_batch() {
	tools, err := standard.New(standard.Options{Workspace: "testdata"})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	ctx := context.Background()
	outcomes := tools.ExecuteAll(ctx, []tool.Call{
		{ID: "1", Tool: "calculator", Session: "s", Arguments: json.RawMessage(`{"expression": "6*7"}`)},
		{ID: "2", Tool: "calculater", Session: "s", Arguments: json.RawMessage(`{}`)},
	})
	for _, o := range outcomes {
		fmt.Printf("%q %s\n", tool.CodeOf(o.Err), strings.TrimSpace(o.Result.Text()))
	}
	fmt.Println(len(tools.Calls().History("", "s", 10)), "calls")
	// Output:
	// "" 42
	// "not_found" calculater: the tool "calculater" does not exist; did you mean calculator?
	// 2 calls
}

// Tenants with their own directories and secrets.
func Example_tenants() {
	directories, err := os.MkdirTemp("", "tenants")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directories)
	if err := os.MkdirAll(filepath.Join(directories, "acme", "reports"), 0o700); err != nil {
		log.Fatal(err)
	}
	acmeSecrets := secret.New(map[string]secret.Source{"TOKEN": secret.FromEnv("ACME_TOKEN", os.LookupEnv)}, secret.Options{})

	tools, err := standard.New(standard.Options{
		Registry: registry.Options{
			Rules: registry.Rules{Grantable: capability.Grantable{Mounts: map[string]capability.Mount{
				"workspace": {Dir: directories, Mode: capability.ModeRead},
			}}},
			Schedule: schedule.Options{MaxTenantCalls: 20},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	acme := tools.Tenant("acme", registry.TenantOptions{
		Mounts: map[string]capability.Mount{
			"workspace": {Dir: filepath.Join(directories, "acme"), Mode: capability.ModeRead},
		},
		Secrets:    acmeSecrets,
		MaxTimeout: 10 * time.Second,
	})
	result, err := acme.Execute(context.Background(), tool.Call{Tool: "read", Arguments: json.RawMessage(`{"file_path": "."}`)})
	fmt.Println(strings.Contains(result.Text(), "reports"), err)
	// Output:
	// true <nil>
}

// A call in the background, its events, and stopping it.
func Example_start() {
	tools, err := standard.New(standard.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer tools.Close()
	ctx := context.Background()
	events := tools.Calls().Subscribe(ledger.EventFilter{Tenant: "acme"})
	handle := tools.Start(ctx, tool.Call{Tool: "calculator", Tenant: "acme", Arguments: json.RawMessage(`{"expression": "1/4"}`)})
	for update := range handle.Updates() {
		fmt.Println(update.Title)
	}
	result, err := handle.Result(ctx)
	fmt.Println(strings.TrimSpace(result.Text()), err)

	release, err := tools.Calls().Drain(ctx, ledger.Selector{Tool: "calculator"})
	defer release()
	tools.Calls().Kill(ledger.Selector{Tenant: "acme"})
	events.Close()
	var kinds []ledger.EventKind
	for event := range events.Events() {
		kinds = append(kinds, event.Kind)
	}
	fmt.Println(slices.Compact(kinds), err)
	// Output:
	// Calculating
	// 0.25 <nil>
	// [started updated completed] <nil>
}
