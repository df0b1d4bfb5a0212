package seeds

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/executor/native"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// world is a registry, and a person who answers the questions about calls.
type world struct {
	*registry.Registry

	mu     sync.Mutex
	asked  []registry.Question
	answer registry.Answer
}

// open returns a world with the built-in tools. file is the operator's file, or "". Each change
// changes the options.
func open(t *testing.T, file string, changes ...func(*standard.Options)) *world {
	t.Helper()
	w := &world{}
	o := standard.Options{Workspace: t.TempDir(), Config: decode(t, t.TempDir(), file), StateDir: t.TempDir()}
	o.Registry.Approvals.Approver = registry.ApproverFunc(w.ask)
	for _, change := range changes {
		change(&o)
	}
	var err error
	if w.Registry, err = standard.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// decode reads an operator's file. Its paths are relative to dir. The variable API_TOKEN is set.
func decode(t *testing.T, dir, file string) *config.Config {
	t.Helper()
	c, err := config.Decode(config.File{Path: filepath.Join(dir, config.FileName), Name: config.FileName}, []byte(file), func(name string) (string, bool) { return "token-of-the-api", name == "API_TOKEN" })
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bare leaves out the built-in tools.
func bare(o *standard.Options) { o.Sources.NoBuiltins = true }

func (w *world) ask(_ context.Context, q registry.Question) (registry.Answer, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, q)
	return w.answer, nil
}

// questions returns the questions since the last call of questions.
func (w *world) questions() []registry.Question {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

// add registers a tool. Its arguments are the results of a function of package native.
func (w *world) add(t *testing.T, spec tool.Spec, executor tool.Executor, err error) {
	t.Helper()
	if err == nil {
		err = w.Tools().Register(spec, executor)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// run calls a tool, which must succeed.
func (w *world) run(t *testing.T, name, arguments string) tool.Result {
	t.Helper()
	result, err := w.Execute(t.Context(), tool.Call{Tool: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", name, arguments, err)
	}
	return result
}

// fail calls a tool, which must fail with this code.
func (w *world) fail(t *testing.T, name, arguments string, code tool.Code) *tool.Error {
	t.Helper()
	_, err := w.Execute(t.Context(), tool.Call{Tool: name, Arguments: json.RawMessage(arguments)})
	return wantCode(t, err, code)
}

func wantCode(t *testing.T, err error, code tool.Code) *tool.Error {
	t.Helper()
	e, ok := errors.AsType[*tool.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("got %v (%s), want the code %s", err, tool.CodeOf(err), code)
	}
	return e
}

func wantText(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			t.Errorf("got %q, want %q in it", got, part)
		}
	}
}

// wantJSON tests that the JSON of v has at least the members of want, at every level. The string
// "*" in want stands for any value.
func wantJSON(t *testing.T, v any, want string) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var g, m any
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &m); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	if !has(g, m) {
		t.Errorf("got %s\nwant %s", raw, want)
	}
}

func has(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		for name, value := range want {
			member, given := g[name]
			ok = ok && given && has(member, value)
		}
		return ok
	case []any:
		g, ok := got.([]any)
		ok = ok && len(g) == len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = has(g[i], want[i])
		}
		return ok
	}
	return want == "*" || reflect.DeepEqual(got, want)
}

// in is the input of most tools of the documents.
type in struct {
	Input string `json:"input"`
}

// named returns the options of a tool in Go.
func named(name string) native.Options {
	return native.Options{Spec: tool.Spec{Name: name, Description: "A tool of a document."}}
}
