package adktools_test

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

	"google.golang.org/adk/agent"
	"google.golang.org/adk/agent/llmagent"
	"google.golang.org/adk/model/gemini"
	"google.golang.org/adk/runner"
	"google.golang.org/adk/session"
	adktool "google.golang.org/adk/tool"
	"google.golang.org/genai"

	adktools "github.com/wasmtool/wasmtool/adapters/adk"
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

// run runs an agent of the ADK for the user ann until the model is done, and returns the model's
// last text.
func run(ctx context.Context, t *testing.T, p *provider, tenant *registry.Tenant, o adktools.Options) (string, error) {
	t.Helper()
	tools, err := adktools.Tools(tenant, o)
	if err != nil {
		t.Fatal(err)
	}
	model, err := gemini.NewModel(ctx, "gemini-2.5-flash", p.config())
	if err != nil {
		t.Fatal(err)
	}
	helper, err := llmagent.New(llmagent.Config{
		Name: "helper", Model: model, Tools: tools,
		OnToolErrorCallbacks: []llmagent.OnToolErrorCallback{func(_ adktool.Context, _ adktool.Tool, _ map[string]any, err error) (map[string]any, error) {
			p.failed(err)
			return nil, err
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	loop, err := runner.New(runner.Config{AppName: "tests", Agent: helper, SessionService: session.InMemoryService(), AutoCreateSession: true})
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for event, err := range loop.Run(ctx, "ann", "a/b", genai.NewContentFromText("Go on.", genai.RoleUser), agent.RunConfig{}) {
		if err != nil {
			return "", err
		}
		last = event.Content.Parts[0].Text
	}
	return last, nil
}

// A user who may choose IDs cannot choose the session of another user.
func TestSessionsHaveDifferentNames(t *testing.T) {
	t.Parallel()
	names := make(map[string][3]string)
	parts := []string{"", "a", "b", "/", "a/b", "%2F", "a%2Fb"}
	for _, app := range parts {
		for _, user := range parts {
			for _, id := range parts {
				name := adktools.Session(app, user, id)
				if other, taken := names[name]; taken {
					t.Errorf("%q is the name of %q and of %q", name, other, [3]string{app, user, id})
				}
				names[name] = [3]string{app, user, id}
			}
		}
	}
}

func TestRunSendsResults(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		call use
		text string    // part of the text of the result
		code tool.Code // of the failure
	}{
		"file":              {call: use{"call_1", "read", `{"file_path":"notes.txt"}`}, text: "buy milk"},
		"image":             {call: use{"call_1", "read", `{"file_path":"dot.png"}`}, text: "an image is left out"},
		"denied call":       {call: use{"call_1", "write", `{"file_path":"new.txt","content":"x"}`}, text: "write: not granted", code: tool.CodePermissionDenied},
		"missing file":      {call: use{"call_1", "read", `{"file_path":"none.txt"}`}, text: "none.txt", code: tool.CodeExecution},
		"invalid arguments": {call: use{"call_1", "read", `{}`}, text: "file_path", code: tool.CodeInvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reg := newRegistry(t, map[string][]byte{"notes.txt": []byte("buy milk\n"), "dot.png": picture.Bytes()})
			p := newProvider([]use{test.call})
			defer p.Close()
			last, err := run(t.Context(), t, p, reg.Tenant("acme", registry.TenantOptions{}), adktools.Options{})
			if err != nil || !strings.HasPrefix(last, "The tools answered: ") {
				t.Fatalf("the run ended with %q, %v", last, err)
			}
			got, ok := p.results(t)["call_1"]
			text, other := got.Response.Output, got.Response.Error
			var codes []tool.Code
			if test.code != "" {
				text, other, codes = other, text, []tool.Code{test.code}
			}
			if !ok || other != "" || !strings.Contains(text, test.text) {
				t.Errorf("the model got %+v", got)
			}
			if !slices.Equal(p.codes, codes) {
				t.Errorf("the callback got errors with the codes %q", p.codes)
			}
			if calls := reg.Calls().History("acme", adktools.Session("tests", "ann", "a/b"), 10); len(calls) != 1 {
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
	hidden, err := policy.Compile(policy.Config{Deny: []string{"bash"}}, policy.Known{})
	if err != nil {
		t.Fatal(err)
	}
	tenant := reg.Tenant("acme", registry.TenantOptions{Policy: hidden})
	p := newProvider()
	defer p.Close()
	if _, err := run(t.Context(), t, p, tenant, adktools.Options{}); err != nil {
		t.Fatal(err)
	}
	tools, err := llm.New(llm.Gemini, tenant.List(catalogue.Filter{}), llm.Options{})
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
	p := newProvider([]use{{"call_1", "left", `{}`}, {"call_2", "right", `{}`}})
	defer p.Close()
	if _, err := run(t.Context(), t, p, reg.Tenant("", registry.TenantOptions{}), adktools.Options{}); err != nil {
		t.Fatal(err)
	}
	results := p.results(t)
	if one, two := results["call_1"].Response.Output, results["call_2"].Response.Output; one != "heard right" || two != "heard left" {
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
	p := newProvider([]use{{"call_1", "forever", `{}`}})
	defer p.Close()
	if _, err := run(ctx, t, p, reg.Tenant("", registry.TenantOptions{}), adktools.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
	<-stopped
	if len(p.requests) != 1 {
		t.Errorf("the provider got %d requests", len(p.requests))
	}
}
