package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/hostfuncs/egress"
	"github.com/wasmtool/wasmtool/hostfuncs/secret/keyring"
	"github.com/wasmtool/wasmtool/internal/guesttest"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/ledger"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
	"github.com/wasmtool/wasmtool/runtime"
)

// scriptWASM returns the guest, which is built once for all tests.
var scriptWASM = sync.OnceValues(func() ([]byte, error) {
	return guesttest.Go("../../guest/internal/script", guesttest.Reactor)
})

// manifest is the manifest of a script. The %s are replaced with its name, further keys, the form
// of its module, and further keys of the module.
const manifest = `
manifest = 1
name = %q
version = "0.1.0"
description = "Does the steps of its input."
timeout = "10m"
limits.memory = "128MiB"
%s
[module]
path = "tool.wasm"
%s
%s
[parameters]
type = "object"
additionalProperties = true
[parameters.properties.steps]
type = "array"
[parameters.properties.path]
type = "string"
[parameters.properties.text]
type = "string"
`

// scriptForm has the keys of a script's module in its manifest.
const scriptForm = "abi = \"reactor\"\noutput = \"result\""

// lab is a Registry with scripts.
type lab struct {
	tools   *registry.Registry
	options standard.Options
	stderr  *bytes.Buffer // the log that the operator reads; guarded by the handler

	mu       sync.Mutex
	receipts []tool.Receipt
}

// setup configures a lab. The zero value has one tool, "script", without permissions.
type setup struct {
	// tools maps the names of tools to further keys of their manifests. warm names the tools that
	// have a warm-up.
	tools map[string]string
	warm  bool
	// plugin replaces the script as the guest, if plugin is not nil. form returns the manifest keys
	// for the plug-in's module in the tool with the given name.
	plugin []byte
	form   func(name string) string
	// operator is the operator's file, and env the environment variables.
	operator string
	env      map[string]string
	http     egress.Transport
	stateDir string

	approver  registry.Approver
	approvals remembered.ApprovalStore
}

func newLab(t testing.TB, s setup) *lab {
	t.Helper()
	wasm, err := scriptWASM()
	if err != nil {
		t.Fatal(err)
	}
	form := func(string) string { return scriptForm }
	if s.plugin != nil {
		wasm, form = s.plugin, s.form
	}
	if s.tools == nil {
		s.tools = map[string]string{"script": ""}
	}
	folder := t.TempDir()
	for name, more := range s.tools {
		head, tables, _ := strings.Cut(more, "[")
		if tables != "" {
			tables = "[" + tables
		}
		module := ""
		if s.warm {
			module = "warm = {}"
		}
		text := fmt.Sprintf(manifest, name, head, form(name), module) + tables
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, content := range map[string][]byte{"tool.toml": []byte(text), "tool.wasm": wasm} {
			if err := os.WriteFile(filepath.Join(folder, name, file), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.stateDir == "" {
		s.stateDir = t.TempDir()
	}
	l := &lab{stderr: new(bytes.Buffer)}
	l.options = standard.Options{
		Config:   decode(t, s.operator, s.env),
		Sources:  standard.Sources{NoBuiltins: true, Directories: []string{folder}},
		Runtime:  runtime.Options{CacheDir: cacheDir},
		StateDir: s.stateDir,
		HTTP:     s.http,
		Registry: registry.Options{
			Approvals: registry.ApprovalOptions{Approver: s.approver, Store: s.approvals},
			Logger:    slog.New(slog.NewTextHandler(l.stderr, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Calls:     ledger.Options{OnReceipt: l.note},
		},
		Keyring: keyring.New,
	}
	if l.tools, err = standard.New(l.options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.tools.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// decode parses an operator's file.
func decode(t testing.TB, text string, env map[string]string) *config.Config {
	t.Helper()
	file := config.File{Path: filepath.Join(t.TempDir(), config.FileName), Name: config.FileName}
	c, err := config.Decode(file, []byte(text), func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (l *lab) note(r tool.Receipt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.receipts = append(l.receipts, r)
}

// noted returns the receipts of the calls since noted was last called.
func (l *lab) noted() []tool.Receipt {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.receipts
	l.receipts = nil
	return all
}

// step is one step of a script; see guest/internal/script.
type step struct {
	Do     string  `json:"do"`
	Text   string  `json:"text,omitempty"`
	More   *string `json:"more,omitempty"`
	Last   *string `json:"last,omitempty"`
	Times  int     `json:"times,omitempty"`
	Handle int32   `json:"handle,omitempty"`
	Size   int     `json:"size,omitempty"`
	Raw    bool    `json:"raw,omitempty"`
	Ptr    uint32  `json:"ptr,omitempty"`
	Len    uint32  `json:"len,omitempty"`
	Repeat int     `json:"repeat,omitempty"`
}

// outcome is the result of a step that a script reports.
type outcome struct {
	Code  int32  `json:"code"`
	Text  string `json:"text"`
	Fault string `json:"error"`
}

// failure returns the error of a step that failed.
func (o outcome) failure(t testing.TB) (f struct {
	Kind, Message string
	Sent          bool
},
) {
	t.Helper()
	if o.Code >= 0 {
		t.Fatalf("it did not fail: %+v", o)
	}
	if err := json.Unmarshal([]byte(o.Fault), &f); err != nil {
		t.Fatalf("%v: %+v", err, o)
	}
	return f
}

// script returns a call that executes the steps.
func script(name string, steps ...step) tool.Call {
	arguments, err := json.Marshal(map[string]any{"steps": steps})
	if err != nil {
		panic(err) // the test is wrong
	}
	return tool.Call{Tool: name, Arguments: arguments}
}

// play executes the steps, which must succeed.
func (l *lab) play(t testing.TB, steps ...step) []outcome {
	t.Helper()
	return l.call(t, script("script", steps...))
}

// call calls a script, which must succeed.
func (l *lab) call(t testing.TB, call tool.Call) []outcome {
	t.Helper()
	result, err := l.execute(t, call)
	if err != nil {
		t.Fatalf("%v\n%s", err, result.Text())
	}
	return outcomes(t, result)
}

func outcomes(t testing.TB, result tool.Result) []outcome {
	t.Helper()
	var out struct{ Steps []outcome }
	if err := json.Unmarshal(result.Structured, &out); err != nil {
		t.Fatalf("%v: %s", err, result.Structured)
	}
	return out.Steps
}

// patience is the time after which the tests assume that a call hangs. It is longer than any call
// takes on a busy machine.
const patience = 5 * time.Minute

// execute makes a call, and fails the test if the call does not end.
func (l *lab) execute(t testing.TB, call tool.Call) (tool.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	result, err := l.tools.Execute(ctx, call)
	if ctx.Err() != nil {
		t.Error("the call did not end by itself")
	}
	return result, err
}

// timesOut makes a call that does not end by itself, and fails the test unless the call ends at its
// timeout. If the usage shows that the timeout came too early, timesOut repeats the call with twice
// the time. So the result does not depend on the speed of the machine.
func (l *lab) timesOut(t testing.TB, call tool.Call, reached func(capability.Usage) bool) {
	t.Helper()
	for call.Timeout = 300 * time.Millisecond; ; call.Timeout *= 2 {
		result, err := l.execute(t, call)
		if tool.CodeOf(err) != tool.CodeTimeout {
			t.Errorf("got %v, want its timeout", err)
			return
		}
		if reached(result.Call.Usage) {
			return
		}
	}
}

// ptr returns a pointer to a string, for fields where nil and "" differ.
func ptr(s string) *string { return &s }

func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// get returns a step that requests a URL.
func get(url string) step { return request("GET", url) }

// request returns a step that requests a URL with headers, given as alternating names and values.
func request(method, url string, headers ...string) step {
	head := map[string]any{"method": method, "url": url}
	pairs := [][2]string{}
	for i := 0; i+1 < len(headers); i += 2 {
		pairs = append(pairs, [2]string{headers[i], headers[i+1]})
	}
	head["headers"] = pairs
	text, err := json.Marshal(head)
	if err != nil {
		panic(err) // the test is wrong
	}
	return step{Do: "request", Text: string(text)}
}
