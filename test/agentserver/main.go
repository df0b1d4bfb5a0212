// Command agentserver lets a model carry out tasks of two tenants, each in its own directory.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/agent"
	"github.com/wasmtool/wasmtool/registry/agent/provider"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/otlp"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// tenants has the name of each tenant by its token. The directory of a tenant is data/NAME.
var tenants = map[string]string{"Bearer token of blue": "blue", "Bearer token of red": "red"}

func main() {
	compiler := runtime.SelfCompiler() // first: the program starts itself to compile modules
	spans, err := otlp.New(otlp.Options{URL: "http://localhost:4318/v1/traces"})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := newHandler(compiler, os.Getenv("MODEL_URL"), spans)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", handler))
}

func newHandler(compiler []string, modelURL string, spans ledger.Observer) (http.Handler, error) {
	workspace := func(dir string) map[string]capability.Mount {
		return map[string]capability.Mount{"workspace": {Dir: dir, Mode: capability.ModeWrite}}
	}
	tools, err := standard.New(standard.Options{
		Runtime: runtime.Options{CompileCommand: compiler},
		Registry: registry.Options{
			Rules:     registry.Rules{Grantable: capability.Grantable{Mounts: workspace("data")}},
			Calls:     ledger.Options{Observer: spans},
			Approvals: registry.ApprovalOptions{Approver: registry.ApproverFunc(approve)},
		},
	})
	if err != nil {
		return nil, err
	}
	if err := addTeam(tools); err != nil {
		return nil, err
	}
	model, err := provider.New(provider.Options{Format: llm.OpenAI, Model: "qwen3", BaseURL: modelURL})
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant, known := tenants[r.Header.Get("Authorization")]
		task, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if !known || err != nil {
			http.Error(w, "send a token and a task of at most 64 KiB", http.StatusForbidden)
			return
		}
		own := registry.TenantOptions{Mounts: workspace(filepath.Join("data", tenant))}
		a := agent.New(agent.Of(tools, tenant, own), model, agent.Options{})
		result, err := a.Run(r.Context(), agent.Request{Task: string(task)}, agent.Events{})
		if err != nil {
			log.Printf("%s: %v", tenant, err)
		}
		fmt.Fprintln(w, result.Summary)
	}), nil
}

// addTeam adds a tool of your own, a Go function.
func addTeam(tools *registry.Registry) error {
	spec, executor, err := native.DefineCall(native.Options{
		Spec: tool.Spec{Name: "team", Description: "Tells the name of the team that gave the task."},
	}, func(_ context.Context, call tool.Call, _ struct{}) (string, error) { return "team " + call.Tenant, nil })
	if err != nil {
		return err
	}
	return tools.Tools().Register(spec, executor)
}

// approve answers the questions about calls that may do more than read. Ask a person here.
func approve(_ context.Context, q registry.Question) (registry.Answer, error) {
	log.Print(q.Text(true))
	return registry.Answer{Yes: q.Tool.Name == "write"}, nil
}
