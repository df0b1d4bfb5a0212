// Command host is the host of a user interface. It reads requests from its standard input, one on
// each line, makes the calls with the built-in tools, and writes an answer on each line.
//
// The tests run it as a program of its own, because the tests themselves would compile the modules
// of the tools again in each build.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/compat"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// call is one call: the request, the person's answer to a question about it, and what the interface
// shows.
type call struct {
	tools   *registry.Registry
	request struct {
		compat.Request
		WorkingDirectory string
		Approve          bool
	}
	answer struct {
		compat.Response
		View      tool.DetailsView `json:"view"`
		Updates   []tool.Update    `json:"updates"`
		Questions []question       `json:"questions"`
	}
}

// question is the part of a question that the tests look at.
type question struct {
	tool.CallRef
	Title    string         `json:"title"`
	Reason   tool.AskReason `json:"reason"`
	Patterns []string       `json:"patterns"`
}

// Execute makes the call of the request.
func (c *call) Execute(ctx context.Context, made tool.Call) (tool.Result, error) {
	made.WorkingDirectory = c.request.WorkingDirectory
	made.OnUpdate = func(u tool.Update) { c.answer.Updates = append(c.answer.Updates, u) }
	person := registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		c.answer.Questions = append(c.answer.Questions, question{q.CallRef, q.Title(), q.Reason, q.Patterns})
		return registry.Answer{Yes: c.request.Approve}, nil
	})
	result, err := c.tools.Tenant("", registry.TenantOptions{Approver: person}).Execute(ctx, made)
	c.answer.View = result.Details()
	return result, err
}

func main() {
	compiler := runtime.SelfCompiler()
	workspace, file := flag.String("workspace", "", "directory of the tools"), flag.String("config", "", "operator's file")
	cache, state := flag.String("cache", "", "directory of compiled modules"), flag.String("state", "", "directory of state")
	flag.Parse()
	o := standard.Options{Workspace: *workspace, StateDir: *state, Runtime: runtime.Options{CacheDir: *cache, CompileCommand: compiler}}
	// Without a cache, a busy machine compiles a module for minutes.
	o.Runtime.CompileTimeout, o.Registry.Tools.LoadTimeout = 10*time.Minute, 10*time.Minute
	if err := serve(o, config.File{Path: *file, Name: config.FileName}); err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
}

func serve(o standard.Options, file config.File) (err error) {
	if o.Config, err = config.Load(file, nil); err != nil {
		return err
	}
	tools, err := standard.New(o)
	if err != nil {
		return err
	}
	defer tools.Close()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		c := &call{tools: tools}
		if err := json.Unmarshal(lines.Bytes(), &c.request); err != nil {
			return err
		}
		c.answer.Response = compat.Answer(context.Background(), c, c.request.Request)
		if err := json.NewEncoder(os.Stdout).Encode(c.answer); err != nil {
			return err
		}
	}
	return nil
}
