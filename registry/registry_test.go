package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/wasmtool/wasmtool/hostfuncs/capability"
	"github.com/wasmtool/wasmtool/registry/catalogue"
	"github.com/wasmtool/wasmtool/registry/policy"
	"github.com/wasmtool/wasmtool/registry/tool"
)

// fake is an Executor whose methods call functions. A nil function succeeds.
type fake struct {
	prepare func(ctx context.Context) error
	execute func(ctx context.Context, in tool.Invocation) (tool.Result, error)
	closed  bool
}

func (f *fake) Prepare(ctx context.Context) error {
	if f.prepare == nil {
		return nil
	}
	return f.prepare(ctx)
}

func (f *fake) Execute(ctx context.Context, in tool.Invocation) (tool.Result, error) {
	if f.execute == nil {
		return tool.Result{Content: []tool.Content{tool.TextContent(string(in.Arguments))}}, nil
	}
	return f.execute(ctx, in)
}

func (f *fake) Close() error {
	f.closed = true
	return nil
}

// identified is a fake with a digest.
type identified struct {
	*fake
	digest string
}

func (f *identified) Digest(context.Context) (string, error) { return f.digest, nil }

// schema has a required string and a number with a default.
const schema = `{"type":"object","required":["text"],"properties":{"text":{"type":"string"},"limit":{"type":"integer","default":20}}}`

func echo() tool.Spec {
	return tool.Spec{Name: "echo", Version: "1.0.0", Description: "Echoes.", Parameters: json.RawMessage(schema), Source: "test"}
}

func withTool(t *testing.T, o Options, spec tool.Spec, f *fake) *Registry {
	t.Helper()
	r := New(o)
	if err := r.Tools().Register(spec, f); err != nil {
		t.Fatal(err)
	}
	return r
}

func wantCode(t *testing.T, err error, want tool.Code) *tool.Error {
	t.Helper()
	var e *tool.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Fatalf("got %v (%s), want the code %s", err, tool.CodeOf(err), want)
	}
	return e
}

func TestExecuteRunsATool(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{})
	result, err := r.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"hi","extra":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := result.Text(), `{"text":"hi","limit":20}`; got != want {
		t.Errorf("the tool got %s, want %s", got, want)
	}
	if len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0], "extra") {
		t.Errorf("warnings: %q", result.Warnings)
	}
	if result.Call.Tool != "echo" || !strings.HasPrefix(result.Call.ID, "call_") || result.IsError {
		t.Errorf("got %+v", result)
	}
	other, err := r.Execute(context.Background(), tool.Call{Tool: "echo", ID: "mine", Arguments: json.RawMessage(`{"text":""}`)})
	if err != nil || other.Call.ID != "mine" {
		t.Errorf("got %+v, %v", other.Call, err)
	}
}

func TestInvalidArgumentsRunNothing(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{
		prepare: func(context.Context) error { t.Error("the tool was prepared"); return nil },
		execute: func(context.Context, tool.Invocation) (tool.Result, error) {
			t.Error("the tool ran")
			return tool.Result{}, nil
		},
	})
	for _, arguments := range []string{``, `{}`, `[]`, `{"text":1,"limit":"x"}`, `{"text":"a","text":"b"}`, `{`} {
		result, err := r.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(arguments)})
		e := wantCode(t, err, tool.CodeInvalidArgument)
		if len(e.Details.Violations) == 0 || !e.Recoverable || e.Tool != "echo" || e.CallID == "" {
			t.Errorf("%s: got %+v", arguments, e)
		}
		if !result.IsError || !strings.Contains(result.Text(), "echo") {
			t.Errorf("%s: the model reads %q", arguments, result.Text())
		}
	}
	_, err := r.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"limit":"x"}`)})
	if e := wantCode(t, err, tool.CodeInvalidArgument); len(e.Details.Violations) != 2 {
		t.Errorf("two violations are reported as %+v", e.Details.Violations)
	}
}

// Validate checks arguments without a call.
func TestValidate(t *testing.T) {
	r := withTool(t, Options{}, echo(), &fake{
		prepare: func(context.Context) error { t.Error("the tool was prepared"); return nil },
	})
	got, warnings, err := r.Validate("ECHO", json.RawMessage(`{"text":"x","extra":1}`))
	if err != nil || string(got) != `{"text":"x","limit":20}` || len(warnings) != 1 {
		t.Errorf("got %s, %q, %v", got, warnings, err)
	}
	got, _, err = r.Validate("echo", json.RawMessage(`{"limit":"x"}`))
	if e := wantCode(t, err, tool.CodeInvalidArgument); got != nil || e.Tool != "echo" || len(e.Details.Violations) != 2 {
		t.Errorf("got %s, %+v", got, e)
	}
	_, _, err = r.Validate("nothing", nil)
	wantCode(t, err, tool.CodeNotFound)
}

func TestToolIsFoundByNameAndAlias(t *testing.T) {
	spec := echo()
	spec.Aliases = []string{"say", "print_it"}
	r := withTool(t, Options{}, spec, &fake{})
	for _, name := range []string{"echo", " Echo ", "ECHO", "say", "Print_It"} {
		if got, err := r.Tools().Get(name); err != nil || got.Name != "echo" {
			t.Errorf("%q: got %+v, %v", name, got, err)
		}
	}
	_, err := r.Execute(context.Background(), tool.Call{Tool: "ecko"})
	if e := wantCode(t, err, tool.CodeNotFound); !strings.Contains(e.Message, "did you mean echo?") {
		t.Errorf("got %q", e.Message)
	}
	_, err = r.Execute(context.Background(), tool.Call{Tool: strings.Repeat("zz\x1b", 1000)})
	if e := wantCode(t, err, tool.CodeNotFound); len(e.Message) > 300 || strings.Contains(e.Error(), "\x1b[") {
		t.Errorf("got %q", e.Error())
	}
	wantCode(t, New(Options{}).Prepare(context.Background(), "x"), tool.CodeNotFound)
}

func TestUnregisterClosesTheExecutor(t *testing.T) {
	f := &fake{}
	spec := echo()
	spec.Aliases = []string{"say"}
	r := withTool(t, Options{}, spec, f)
	if ok, err := r.Tools().Unregister("SAY"); !ok || err != nil || !f.closed {
		t.Errorf("got %v, %v, closed %v", ok, err, f.closed)
	}
	if ok, err := r.Tools().Unregister("echo"); ok || err != nil {
		t.Errorf("again: got %v, %v", ok, err)
	}
	_, err := r.Execute(context.Background(), tool.Call{Tool: "say"})
	wantCode(t, err, tool.CodeNotFound)
	if err := r.Tools().Register(spec, &fake{}); err != nil {
		t.Errorf("registering again: %v", err)
	}
}

func TestToolGetsWhatIsGranted(t *testing.T) {
	spec := echo()
	spec.Permissions = capability.Permissions{FS: []capability.FS{{Mount: "workspace", Mode: capability.ModeRead}}, Env: []string{"LANG"}}
	ran := 0
	f := &fake{execute: func(_ context.Context, in tool.Invocation) (tool.Result, error) {
		ran++
		if len(in.Grant.FS) != 1 || in.Grant.FS[0].Dir != "/host/dir" || in.Grant.Env["LANG"] != "C" {
			t.Errorf("the tool was granted %+v", in.Grant)
		}
		return tool.Result{}, nil
	}}
	call := tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":"x"}`)}
	_, err := withTool(t, Options{}, spec, f).Execute(context.Background(), call)
	e := wantCode(t, err, tool.CodePermissionDenied)
	if want := "not granted: read:workspace, env:LANG; only the operator can grant it"; e.Message != want || ran > 0 {
		t.Errorf("got %q, want %q; ran %d times", e.Message, want, ran)
	}
	offer := capability.Grantable{
		Mounts: map[string]capability.Mount{"workspace": {Dir: "/host/dir", Mode: capability.ModeRead}},
		Env:    map[string]string{"LANG": "C", "SECRET": "x"},
	}
	// A granted permission may still need an approval. Here, the permission for the variable needs
	// one, because calls that use variables are not harmless.
	_, err = withTool(t, Options{Rules: Rules{Grantable: offer}}, spec, f).Execute(context.Background(), call)
	if e := wantCode(t, err, tool.CodeApprovalRequired); !strings.Contains(e.Message, "env:LANG") || e.Details.Fix == "" || ran > 0 {
		t.Errorf("got %q with the fix %q, ran %d times", e.Message, e.Details.Fix, ran)
	}
	rules := Rules{Grantable: offer, Policy: compile(t, policy.Config{Tools: map[string]policy.ToolRule{"echo": {AutoExecute: true}}})}
	if _, err := withTool(t, Options{Rules: rules}, spec, f).Execute(context.Background(), call); err != nil || ran != 1 {
		t.Errorf("got %v, ran %d times", err, ran)
	}
}

func TestFailuresOfExecutorsDiscloseNothing(t *testing.T) {
	tests := map[string]struct {
		execute func(context.Context, tool.Invocation) (tool.Result, error)
		want    tool.Code
	}{
		"a panic": {func(context.Context, tool.Invocation) (tool.Result, error) { panic("/root/secret/path") }, tool.CodeInternal},
		"an unknown error": {func(context.Context, tool.Invocation) (tool.Result, error) {
			return tool.Result{}, errors.New("/root/secret/path")
		}, tool.CodeInternal},
		"an error of a tool": {func(context.Context, tool.Invocation) (tool.Result, error) {
			return tool.Result{}, &tool.Error{Code: tool.CodeExecution, Message: "no luck", Details: tool.Details{Stderr: "why"}}
		}, tool.CodeExecution},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := withTool(t, Options{}, echo(), &fake{execute: tt.execute})
			result, err := r.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)})
			e := wantCode(t, err, tt.want)
			if !result.IsError || result.Text() == "" || e.Tool != "echo" {
				t.Errorf("got %+v, %+v", result, e)
			}
			shown, _ := json.Marshal(e)
			if text := string(shown) + e.Error() + result.Text(); strings.Contains(text, "secret") || strings.Contains(text, "goroutine") {
				t.Errorf("the failure discloses too much: %s", text)
			}
		})
	}
}

// The registry does not modify an error that an executor shares between calls.
func TestSharedErrorIsNotModified(t *testing.T) {
	shared := &tool.Error{Code: tool.CodeInvalidModule, Message: "no module"}
	f := &fake{prepare: func(context.Context) error { return shared }}
	r := withTool(t, Options{}, echo(), f)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, err := r.Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)})
			if e := wantCode(t, errors.Join(err, r.Prepare(context.Background(), "echo")), tool.CodeInvalidModule); e.Tool != "echo" || e.CallID == "" {
				t.Errorf("got %+v", e)
			}
		})
	}
	wg.Wait()
	if shared.Tool != "" || shared.CallID != "" {
		t.Errorf("the shared error became %+v", shared)
	}
}

func TestResultIsCheckedAgainstItsSchema(t *testing.T) {
	spec := echo()
	spec.Result = json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)
	for structured, want := range map[string]tool.Code{
		`{"n":9007199254740993}`: "",
		`{"n":"x"}`:              tool.CodeInvalidOutput,
		`{}`:                     tool.CodeInvalidOutput,
		``:                       tool.CodeInvalidOutput,
	} {
		f := &fake{execute: func(context.Context, tool.Invocation) (tool.Result, error) {
			return tool.Result{Content: []tool.Content{tool.TextContent("looks fine")}, Structured: json.RawMessage(structured)}, nil
		}}
		result, err := withTool(t, Options{}, spec, f).Execute(context.Background(), tool.Call{Tool: "echo", Arguments: json.RawMessage(`{"text":""}`)})
		if got := tool.CodeOf(err); got != want {
			t.Errorf("%s: got %v, want %q", structured, err, want)
		}
		if want == "" && string(result.Structured) != structured {
			t.Errorf("%s came back as %s", structured, result.Structured)
		}
		if want != "" && (result.Structured != nil || strings.Contains(result.Text(), "looks fine")) {
			t.Errorf("%s: an invalid result is returned as %+v", structured, result)
		}
	}
}

func TestCloseClosesEverything(t *testing.T) {
	closed := 0
	f := &fake{}
	r := withTool(t, Options{OnClose: func() error { closed++; return nil }}, echo(), f)
	if err := errors.Join(r.Close(), r.Close()); err != nil || closed != 1 || !f.closed {
		t.Errorf("got %v, OnClose ran %d times, executor closed: %v", err, closed, f.closed)
	}
	_, err := r.Execute(context.Background(), tool.Call{Tool: "echo"})
	if e := wantCode(t, err, tool.CodeCancelled); !strings.Contains(e.Message, "the registry is closed") {
		t.Errorf("got %q", e.Message)
	}
	if err := r.Tools().Register(echo(), &fake{}); err == nil {
		t.Error("a closed registry accepted a tool")
	}
}

// Concurrent registering, calling, listing and removing is safe.
func TestConcurrentUse(t *testing.T) {
	r := New(Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			spec := echo()
			spec.Name = fmt.Sprintf("tool%d", i%4)
			for range 100 {
				err := r.Tools().Register(spec, &fake{})
				if err != nil && tool.CodeOf(err) != tool.CodeInvalidManifest {
					t.Error(err)
				}
				_, err = r.Execute(context.Background(), tool.Call{Tool: spec.Name, Arguments: json.RawMessage(`{"text":"x"}`)})
				if code := tool.CodeOf(err); code != "" && code != tool.CodeNotFound && code != tool.CodeDisabled {
					t.Error(err)
				}
				r.Tools().List(catalogue.Filter{})
				r.Tools().Search("echo", 0)
				r.Tools().Stats()
				for _, err := range []error{r.Tools().Disable(spec.Name), r.Tools().Enable(spec.Name)} {
					if err != nil && tool.CodeOf(err) != tool.CodeNotFound {
						t.Error(err)
					}
				}
				if _, err := r.Tools().Unregister(spec.Name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if left := r.Tools().List(catalogue.Filter{}); len(left) > 0 {
		t.Errorf("left over: %+v", left)
	}
}
