//go:build unix

package standard_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry"
	"github.com/wasmtool/wasmtool/registry/config"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/policy/remembered"
	"github.com/wasmtool/wasmtool/registry/standard"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// outsideLab is a registry with the built-in file tools, whose calls may ask for paths outside.
type outsideLab struct {
	*registry.Registry
	dir      string // has work, which is the workspace, and other files and directories
	mu       sync.Mutex
	asked    []registry.Question
	onAsk    func() // called while a question waits
	answer   registry.Answer
	receipts []tool.Receipt
}

func newOutsideLab(t *testing.T, change func(l *outsideLab, o *standard.Options)) *outsideLab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &outsideLab{dir: dir, answer: registry.Answer{Yes: true}}
	for name, text := range map[string]string{
		"work/in.txt": "inside", "notes.txt": "needle of the notes", "secret.txt": "a secret", "state/approvals": "a secret",
		"wasmtool.toml": "a secret", "data/a.txt": "needle of the data",
	} {
		l.put(t, name, text)
	}
	if err := os.Symlink("../secret.txt", filepath.Join(dir, "data/link")); err != nil {
		t.Fatal(err)
	}
	o := standard.Options{
		StateDir: filepath.Join(dir, "state"),
		Sources:  standard.Sources{NoBuiltins: true, Directories: []string{outsideTools(t)}},
		Policy:   policy.Config{Tools: map[string]policy.ToolRule{"write": {AutoExecute: true}}},
	}
	o.Registry.Rules = registry.Rules{AskOutside: true, Grantable: capability.Grantable{
		Mounts:    map[string]capability.Mount{"workspace": {Dir: filepath.Join(dir, "work"), Mode: capability.ModeWrite}},
		Protected: []string{filepath.Join(dir, "wasmtool.toml")},
	}}
	o.Registry.Approvals.Approver = registry.ApproverFunc(func(_ context.Context, q registry.Question) (registry.Answer, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asked = append(l.asked, q)
		if l.onAsk != nil {
			l.onAsk()
		}
		return l.answer, nil
	})
	o.Registry.Calls.OnReceipt = func(r tool.Receipt) { l.receipts = append(l.receipts, r) }
	if change != nil {
		change(l, &o)
	}
	if l.Registry, err = standard.New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func (l *outsideLab) put(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// outsideTools returns a directory with built-in tools whose parameters have an x-path. It is made
// once.
func outsideTools(t *testing.T) string {
	t.Helper()
	const artefacts = "../builtins/artefacts"
	cache, err := os.UserCacheDir() // of this test program; see TestMain
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "outside-tools")
	if _, err := os.Stat(dir); err == nil { // another test has made it
		return dir
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join(artefacts, "files.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	module, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "files.wasm"), module, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]string{"read": "read", "write": "write", "list": "read", "grep": "read"} {
		manifest, err := os.ReadFile(filepath.Join(artefacts, name, "tool.toml"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(manifest, []byte("x-path")) {
			for _, parameter := range []string{"file_path", "path"} {
				head := []byte("[parameters.properties." + parameter + "]\n")
				manifest = bytes.Replace(manifest, head, fmt.Appendf(nil, "%sx-path = %q\n", head, mode), 1)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "tool.toml"), manifest, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// call calls a tool with "DIR" in the arguments replaced by the directory of the lab.
func (l *outsideLab) call(t *testing.T, name, arguments string) (string, error) {
	t.Helper()
	result, err := l.Execute(t.Context(), tool.Call{Tool: name, Session: "s", Arguments: json.RawMessage(strings.ReplaceAll(arguments, "DIR", l.dir))})
	return result.Text(), err
}

func TestOutsidePathIsGrantedForOneCall(t *testing.T) {
	l := newOutsideLab(t, nil)
	l.answer.Remember, l.answer.AnyArguments, l.answer.Patterns = remembered.ScopeAlways, true, true
	for i, tt := range []struct{ tool, arguments, want, bound string }{
		{"read", `{"file_path":"DIR/notes.txt"}`, "needle of the notes", "outside: read DIR/notes.txt"},
		{"read", `{"file_path":"DIR/notes.txt"}`, "needle of the notes", "outside: read DIR/notes.txt"},
		{"read", `{"path":"DIR/notes.txt"}`, "needle of the notes", "outside: read DIR/notes.txt"},
		{"list", `{"path":"DIR/data"}`, "a.txt", "outside: read DIR/data"},
		{"grep", `{"pattern":"needle","path":"DIR/data"}`, "needle of the data", "outside: read DIR/data"},
		{"grep", `{"pattern":"needle","path":"DIR/notes.txt"}`, "needle of the notes", "outside: read DIR/notes.txt"},
		{"write", `{"file_path":"DIR/new.txt","content":"x"}`, "new.txt", "outside: write DIR/new.txt"},
		{"write", `{"file_path":"DIR/new.txt","content":"y"}`, "new.txt", "outside: write DIR/new.txt"},
	} {
		text, err := l.call(t, tt.tool, tt.arguments)
		if err != nil || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: got %q, %v", tt.tool, tt.arguments, text, err)
		}
		if len(l.asked) != i+1 {
			t.Fatalf("%s %s: %d questions, want %d", tt.tool, tt.arguments, len(l.asked), i+1)
		}
		q, bound := l.asked[i], strings.ReplaceAll(tt.bound, "DIR", l.dir)
		if q.Reason != tool.AskOutside || !strings.Contains(strings.Join(q.Bounds, "\n"), bound) || len(q.Patterns) > 0 {
			t.Errorf("%s: asked %+v", tt.arguments, q)
		}
		path := strings.SplitN(bound, " ", 3)[2]
		if whole := strings.ReplaceAll(strings.ReplaceAll(q.Text(true), "\n", ""), " ", ""); !strings.Contains(whole, path) {
			t.Errorf("the question does not name %s: %s", path, q.Text(true))
		}
		receipt := l.receipts[len(l.receipts)-1]
		if !strings.Contains(fmt.Sprint(receipt.Grant), path) || receipt.ApprovedBy != tool.ApprovedByApprover {
			t.Errorf("%s: the receipt is %+v", tt.arguments, receipt)
		}
	}
	if text, err := os.ReadFile(l.dir + "/new.txt"); err != nil || string(text) != "y" {
		t.Errorf("the new file: %q, %v", text, err)
	}
	if text, err := l.call(t, "read", `{"file_path":"in.txt"}`); err != nil || !strings.Contains(text, "inside") || len(l.asked) != 8 {
		t.Errorf("a file of the workspace: %q, %v, %d questions", text, err, len(l.asked))
	}
}

func TestOutsideRefusesWithoutQuestion(t *testing.T) {
	l := newOutsideLab(t, func(l *outsideLab, o *standard.Options) {
		o.Policy.Rules = []policy.Rule{{Effect: policy.Deny, Tools: []string{"*"}, Capabilities: []string{"read:*secret*"}}}
	})
	for _, tt := range []struct{ tool, arguments, want string }{
		{"read", `{"file_path":"/proc/self/environ"}`, "no approval can allow it"},
		{"read", `{"file_path":"/dev/zero"}`, "no approval can allow it"},
		{"read", `{"file_path":"DIR/missing.txt"}`, "no approval can allow it"},
		{"read", `{"file_path":"DIR/state/approvals"}`, "no approval can allow it"},
		{"read", `{"file_path":"DIR/state"}`, "no approval can allow it"},
		{"write", `{"file_path":"DIR/state/new","content":""}`, "no approval can allow it"},
		{"read", `{"file_path":"DIR/wasmtool.toml"}`, "no approval can allow it"},
		{"write", `{"file_path":"DIR/wasmtool.toml","content":""}`, "no approval can allow it"},
		{"list", `{"path":"DIR"}`, "no approval can allow it"},
		{"read", `{"file_path":"DIR/data/../notes.txt"}`, "outside the workspace"},
		{"read", `{"file_path":"../notes.txt"}`, "outside the workspace"},
		{"read", `{"file_path":"DIR/notes.txt/"}`, "outside the workspace"},
		{"read", `{"file_path":"DIR/notes.txt\u0000"}`, "NUL"},
		{"read", `{"file_path":"DIR/\u001b[2Jnotes.txt"}`, "outside the workspace"},
		{"read", `{"file_path":"DIR/\u202enotes.txt"}`, "outside the workspace"},
		{"read", `{"file_path":"DIR/secret.txt","confirmed":true}`, "denies the call"},
		{"read", `{"file_path":"/"}`, "outside the workspace"},
	} {
		text, err := l.call(t, tt.tool, tt.arguments)
		if err == nil || !strings.Contains(text, tt.want) || strings.Contains(text, "a secret") {
			t.Errorf("%s %s: got %q, %v", tt.tool, tt.arguments, text, err)
		}
	}
	if len(l.asked) > 0 {
		t.Errorf("asked about %s", l.asked[0].Arguments)
	}
}

// TestOutsideNoticesSwapAfterAnswer replaces a file while the question waits.
func TestOutsideNoticesSwapAfterAnswer(t *testing.T) {
	l := newOutsideLab(t, nil)
	for name, swap := range map[string]func(dir string) error{
		"a link": func(dir string) error { return os.Symlink("secret.txt", dir+"/notes.txt") },
		"a file": func(dir string) error { return os.Link(dir+"/secret.txt", dir+"/notes.txt") },
	} {
		l.asked, l.onAsk = nil, func() {
			if err := os.Remove(l.dir + "/notes.txt"); err != nil {
				t.Error(err)
			}
			if err := swap(l.dir); err != nil {
				t.Error(err)
			}
		}
		text, err := l.call(t, "read", `{"file_path":"DIR/notes.txt"}`)
		if err == nil || strings.Contains(text, "a secret") || len(l.asked) != 1 {
			t.Errorf("%s: got %q, %v", name, text, err)
		}
		if err := os.Remove(l.dir + "/notes.txt"); err != nil {
			t.Error(err)
		}
		l.put(t, "notes.txt", "notes")
	}
}

func TestOutsideDirectoryShowsNothingElse(t *testing.T) {
	l := newOutsideLab(t, nil)
	for _, path := range []string{"data", "data/link"} {
		if text, _ := l.call(t, "grep", `{"pattern":"secret","path":"DIR/`+path+`"}`); strings.Contains(text, "a secret") {
			t.Errorf("%s: got %q", path, text)
		}
	}
}

// TestOutsideNeedsSetting compares the refusals of paths that exist with the refusals of paths that
// do not, wherever a call may not ask.
func TestOutsideNeedsSetting(t *testing.T) {
	decode := func(text string) *config.Config {
		c, err := config.Decode(config.File{Name: "wasmtool.toml"}, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	file := func(text string) func(*outsideLab, *standard.Options) {
		return func(_ *outsideLab, o *standard.Options) { o.Registry.Rules.AskOutside, o.Config = false, decode(text) }
	}
	for name, tt := range map[string]struct {
		change func(l *outsideLab, o *standard.Options)
		asks   bool
		also   func(l *outsideLab) registry.TenantOptions // does not ask
	}{
		"policy.ask_outside = false": {change: file("policy.ask_outside = false")},
		"policy.ask_outside = true": {change: file("policy.ask_outside = true"), asks: true, also: func(l *outsideLab) registry.TenantOptions {
			return registry.TenantOptions{Mounts: map[string]capability.Mount{"workspace": {Dir: l.dir + "/data", Mode: capability.ModeRead}}}
		}},
		"without an approver": {change: func(_ *outsideLab, o *standard.Options) { o.Registry.Approvals.Approver = nil }, also: func(*outsideLab) registry.TenantOptions {
			return registry.TenantOptions{Approver: yes{}}
		}},
		"with a remote one": {change: func(_ *outsideLab, o *standard.Options) { o.Registry.Approvals.Remote = true }},
	} {
		l := newOutsideLab(t, tt.change)
		check := func(tenant registry.TenantOptions, asks bool) {
			read := func(path string) string {
				result, _ := l.Tenant("t", tenant).Execute(t.Context(), tool.Call{Tool: "read", Arguments: json.RawMessage(`{"file_path":"` + l.dir + path + `"}`)})
				return strings.ReplaceAll(result.Text(), path, "PATH")
			}
			l.asked = nil
			there, missing := read("/notes.txt"), read("/absent.txt")
			if asked := len(l.asked) > 0; asked != asks || asked != strings.Contains(there, "needle") {
				t.Errorf("%s: asks %v, got %q", name, asked, there)
			}
			if !asks && (there != missing || !strings.Contains(there, "outside the workspace")) {
				t.Errorf("%s: got %q for a file, and %q for none", name, there, missing)
			}
		}
		check(registry.TenantOptions{}, tt.asks)
		if tt.also != nil {
			check(tt.also(l), false)
		}
	}
}

type yes struct{}

func (yes) Approve(context.Context, registry.Question) (registry.Answer, error) {
	return registry.Answer{Yes: true}, nil
}

// TestOutsideIsNotConfirmedOtherwise covers everything that approves other calls.
func TestOutsideIsNotConfirmedOtherwise(t *testing.T) {
	l := newOutsideLab(t, func(_ *outsideLab, o *standard.Options) {
		o.Policy.Tools["read"] = policy.ToolRule{AutoExecute: true}
		o.Policy.Rules = []policy.Rule{{Effect: policy.Allow, Tools: []string{"*"}}, {Effect: policy.Allow, Capabilities: []string{"*"}}}
	})
	l.answer = registry.Answer{}
	for range 2 {
		_, err := l.Execute(t.Context(), tool.Call{
			Tool: "read", Session: "s", Arguments: json.RawMessage(`{"file_path":"` + l.dir + `/notes.txt"}`),
			AutoConfirm: func(tool.CallRef, tool.Spec, tool.AskReason) bool { return true },
		})
		if err == nil || !strings.Contains(err.Error(), "not approved") {
			t.Errorf("got %v", err)
		}
	}
	if len(l.asked) != 2 {
		t.Errorf("%d questions, want 2", len(l.asked))
	}
	l.answer = registry.Answer{Yes: true}
	if text, err := l.call(t, "read", `{"file_path":"DIR/notes.txt"}`); err != nil || !strings.Contains(text, "needle") {
		t.Errorf("approved: got %q, %v", text, err)
	}
}

// TestOutsideDoesNotReachNestedCalls starts calls from a tool whose own call was approved.
func TestOutsideDoesNotReachNestedCalls(t *testing.T) {
	l := newOutsideLab(t, nil)
	var nested tool.Result
	spec := tool.Spec{Name: "outer", Description: "Calls read.", Parameters: json.RawMessage(`{"type":"object"}`)}
	if err := l.Tools().Register(spec, outer{func(ctx context.Context, in tool.Invocation) {
		call := tool.Call{Tool: "read", Arguments: json.RawMessage(`{"file_path":"` + l.dir + `/notes.txt"}`)}
		nested, _ = in.Start(ctx, call).Result(ctx)
	}}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.call(t, "outer", `{}`); err != nil {
		t.Fatal(err)
	}
	for _, q := range l.asked {
		if q.Reason == tool.AskOutside {
			t.Errorf("a nested call asks: %s", q.Arguments)
		}
	}
	if !nested.IsError || !strings.Contains(nested.Text(), "outside the workspace") {
		t.Errorf("the nested call: %q", nested.Text())
	}
}

type outer struct {
	do func(context.Context, tool.Invocation)
}

func (outer) Prepare(context.Context) error { return nil }
func (outer) Close() error                  { return nil }
func (o outer) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	o.do(ctx, in)
	return tool.TextResult("done", nil)
}
