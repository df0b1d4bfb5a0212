package anthropictools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"

	anthropictools "github.com/wasmtool/wasmtool/adapters/anthropic"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/llm"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// newRegistry returns a registry with the built-in tools over a workspace with these files.
func newRegistry(t *testing.T, files map[string][]byte) *registry.Registry {
	t.Helper()
	workspace := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(workspace, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	reg, err := standard.New(standard.Options{Workspace: workspace, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := reg.Close(); err != nil {
			t.Error(err)
		}
	})
	return reg
}

// register adds a Go function to a registry.
func register(t *testing.T, reg *registry.Registry, spec tool.Spec, fn func(ctx context.Context) (tool.Result, error)) {
	t.Helper()
	spec.Description = "Tests."
	spec, executor, err := native.Raw(native.Options{Spec: spec}, func(ctx context.Context, _ tool.Invocation) (tool.Result, error) {
		return fn(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := reg.Tools().Register(spec, executor); err != nil {
		t.Fatal(err)
	}
}

// run runs the tool runner of the SDK until the model is done, and returns the model's last text.
func run(ctx context.Context, t *testing.T, p *provider, tenant *registry.Tenant, o anthropictools.Options) (string, error) {
	t.Helper()
	tools, err := anthropictools.Tools(tenant, o)
	if err != nil {
		t.Fatal(err)
	}
	client := p.client()
	message, err := client.Beta.Messages.NewToolRunner(tools, anthropic.BetaToolRunnerParams{
		BetaMessageNewParams: anthropic.BetaMessageNewParams{
			Model: anthropic.ModelClaudeHaiku4_5, MaxTokens: 1000,
			Messages: []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock("Go on."))},
		},
		MaxIterations: 5,
	}).RunToCompletion(ctx)
	if err != nil {
		return "", err
	}
	return message.Content[0].Text, nil
}

func TestRunSendsResults(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		call  use
		text  string // part of the text of the result
		fails bool
		image bool
	}{
		"file":              {call: use{"toolu_1", "read", `{"file_path":"notes.txt"}`}, text: "buy milk"},
		"image":             {call: use{"toolu_1", "read", `{"file_path":"dot.png"}`}, image: true},
		"denied call":       {call: use{"toolu_1", "write", `{"file_path":"new.txt","content":"x"}`}, text: "write: not granted", fails: true},
		"missing file":      {call: use{"toolu_1", "read", `{"file_path":"none.txt"}`}, text: "none.txt", fails: true},
		"invalid arguments": {call: use{"toolu_1", "read", `{}`}, text: "file_path", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := newRegistry(t, map[string][]byte{"notes.txt": []byte("buy milk\n"), "dot.png": picture.Bytes()})
			p := newProvider([]use{test.call})
			defer p.Close()
			o := anthropictools.Options{Call: tool.Call{Session: "s"}}
			last, err := run(t.Context(), t, p, reg.Tenant("acme", registry.TenantOptions{}), o)
			if err != nil || !strings.HasPrefix(last, "The tools answered: ") {
				t.Fatalf("the run ended with %q, %v", last, err)
			}
			got, ok := p.results(t)["toolu_1"]
			if !ok || got.IsError != test.fails || !strings.Contains(got.text(), test.text) {
				t.Errorf("the model got %+v", got)
			}
			images := 0
			for _, block := range got.Content {
				if block.Type == "image" && block.Source.MediaType == "image/png" && bytes.Equal(block.Source.Data, picture.Bytes()) {
					images++
				}
			}
			if (images == 1) != test.image {
				t.Errorf("the model got %d images", images)
			}
			if calls := reg.Calls().History("acme", "s", 10); len(calls) != 1 {
				t.Errorf("the session has %d calls", len(calls))
			}
		})
	}
}

// The provider gets the definitions of registry/llm unchanged, and only the tools that the tenant
// may see.
func TestRunSendsDefinitions(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, nil)
	register(t, reg, tool.Spec{Name: "exact", Parameters: json.RawMessage(`{
		"type": "object", "properties": {"n": {"type": "integer", "minimum": 9007199254740993, "maximum": 1.50e300}}
	}`)}, func(context.Context) (tool.Result, error) { return tool.TextResult("", nil) })
	hidden, err := policy.Compile(policy.Config{Deny: []string{"bash"}}, policy.Known{})
	if err != nil {
		t.Fatal(err)
	}
	tenant := reg.Tenant("acme", registry.TenantOptions{Policy: hidden})
	p := newProvider()
	defer p.Close()
	if _, err := run(t.Context(), t, p, tenant, anthropictools.Options{}); err != nil {
		t.Fatal(err)
	}
	tools, err := llm.New(llm.Anthropic, tenant.List(catalogue.Filter{}), llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, got := decode(t, tools.Definitions()), decode(t, p.requests[0].Tools)
	if got != want {
		same := 0
		for same < min(len(got), len(want)) && got[same] == want[same] {
			same++
		}
		t.Errorf("the provider got %.200q, want %.200q", got[same:], want[same:])
	}
	if strings.Contains(got, `"name":"bash"`) || !strings.Contains(got, `"name":"read"`) {
		t.Error("the provider got tools that the tenant does not see, or lacks tools")
	}
}

// decode returns JSON without white space, with sorted members and with the literals of numbers.
func decode(t *testing.T, text json.RawMessage) string {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// Each of the two calls waits for the other.
func TestCallsOfOneMessageRunConcurrently(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, nil)
	left, right := make(chan string, 1), make(chan string, 1)
	meet := func(mine, other chan string, say string) func(context.Context) (tool.Result, error) {
		return func(ctx context.Context) (tool.Result, error) {
			mine <- say
			select {
			case heard := <-other:
				return tool.TextResult("heard "+heard, nil)
			case <-ctx.Done():
				return tool.Result{}, tool.Ended(ctx, "alone")
			}
		}
	}
	register(t, reg, tool.Spec{Name: "left"}, meet(left, right, "left"))
	register(t, reg, tool.Spec{Name: "right"}, meet(right, left, "right"))
	p := newProvider([]use{{"toolu_1", "left", `{}`}, {"toolu_2", "right", `{}`}})
	defer p.Close()
	if _, err := run(t.Context(), t, p, reg.Tenant("", registry.TenantOptions{}), anthropictools.Options{}); err != nil {
		t.Fatal(err)
	}
	results := p.results(t)
	if one, two := results["toolu_1"].text(), results["toolu_2"].text(); one != "heard right" || two != "heard left" {
		t.Errorf("got %q and %q", one, two)
	}
}

func TestCancellingTheContextEndsTheRun(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped := make(chan struct{})
	register(t, reg, tool.Spec{Name: "forever"}, func(ctx context.Context) (tool.Result, error) {
		cancel()
		<-ctx.Done()
		close(stopped)
		return tool.Result{}, tool.Ended(ctx, "stopped")
	})
	p := newProvider([]use{{"toolu_1", "forever", `{}`}})
	defer p.Close()
	if _, err := run(ctx, t, p, reg.Tenant("", registry.TenantOptions{}), anthropictools.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
	<-stopped
	if len(p.requests) != 1 {
		t.Errorf("the provider got %d requests", len(p.requests))
	}
}

// A tool that is removed after the list was made cannot be called.
func TestCallOfRemovedToolFails(t *testing.T) {
	t.Parallel()
	reg := newRegistry(t, nil)
	register(t, reg, tool.Spec{Name: "brief"}, func(context.Context) (tool.Result, error) { return tool.TextResult("here", nil) })
	tools, err := anthropictools.Tools(reg.Tenant("", registry.TenantOptions{}), anthropictools.Options{})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(tools, func(b anthropic.BetaTool) bool { return b.Name() == "brief" })
	if i < 0 {
		t.Fatal("the list lacks the tool")
	}
	if _, err := tools[i].Execute(t.Context(), json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	if found, err := reg.Tools().Unregister("brief"); !found || err != nil {
		t.Fatalf("unregistered: %t, %v", found, err)
	}
	if blocks, err := tools[i].Execute(t.Context(), json.RawMessage(`{}`)); tool.CodeOf(err) != tool.CodeNotFound {
		t.Errorf("got %+v, %v", blocks, err)
	}
}
